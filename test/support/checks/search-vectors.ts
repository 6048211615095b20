/** A tsvector in the binary form of PostgreSQL. */
export function encodeSearchVector(counts: Readonly<Record<string, number>>): Buffer {
  const words = Object.entries(counts).map(([word, count]) => {
    const positions = Buffer.alloc(2 + 2 * count)
    positions.writeUInt16BE(count)
    return Buffer.concat([Buffer.from(`${word}\0`), positions])
  })
  const head = Buffer.alloc(4)
  head.writeUInt32BE(words.length)
  return Buffer.concat([head, ...words])
}
