import { readVocabulary, type Vocabulary } from './word-pieces.ts'

/** How many numbers a piece has. */
export const tableDimensions = 256

/** The vector of a piece is its scale times its row of `values`. A piece without a vector has the scale 0. */
export type TokenTable = { vocabulary: Vocabulary; scales: Float32Array; values: Int8Array }

/** Reads what scripts/build-token-table.ts wrote: the scales of all pieces, then their rows. */
export function decodeTable(vocabulary: string, bytes: Buffer): TokenTable {
  const pieces = vocabulary.trimEnd().split('\n')
  const scales = Float32Array.from(pieces, (_, row) => bytes.readFloatLE(4 * row))
  const start = bytes.byteOffset + 4 * pieces.length
  const values = new Int8Array(bytes.buffer, start, pieces.length * tableDimensions)
  return { vocabulary: readVocabulary(pieces), scales, values }
}
