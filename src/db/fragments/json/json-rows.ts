/** Below this number the text is too short to matter. */
const fewRows = 16

/**
 * A list of rows as JSON, for a parameter of the type `json`. Many rows become bytes: V8 puts a text of more than 128 KB
 * among the old objects at once, where it stays until the next full collection. An import held 65 MB of such texts.
 */
export function writeJsonRows(rows: readonly object[]): string | Buffer {
  if (rows.length < fewRows) return JSON.stringify(rows)
  return joinJsonRows(rows.map((row) => JSON.stringify(row)))
}

/** A list of rows that are JSON already, as JSON for such a parameter. */
export function joinJsonRows(texts: readonly string[]): string | Buffer {
  if (texts.length < fewRows) return `[${texts.join(',')}]`
  let size = 1 + texts.length
  for (const text of texts) size += Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(size)
  let end = 0
  for (const text of texts) {
    bytes[end] = end === 0 ? opening : comma
    end += 1
    end += bytes.write(text, end)
  }
  bytes[end] = closing
  return bytes
}

const opening = 0x5b
const comma = 0x2c
const closing = 0x5d
