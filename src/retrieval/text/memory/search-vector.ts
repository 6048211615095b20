const end = 0

/**
 * Reads a tsvector in the binary form of PostgreSQL: the number of words, and for each the word, a zero, the number of its
 * positions and two bytes for each. A word without positions occurs once. Words with a space are no words of the text.
 */
export function readSearchVector(bytes: Buffer, add: (word: string, count: number) => void): void {
  const words = bytes.readUInt32BE(0)
  for (let word = 0, at = 4; word < words; word++) {
    const stop = bytes.indexOf(end, at)
    const text = bytes.toString('utf8', at, stop)
    const positions = bytes.readUInt16BE(stop + 1)
    at = stop + 3 + 2 * positions
    if (!text.includes(' ')) add(text, Math.max(1, positions))
  }
}
