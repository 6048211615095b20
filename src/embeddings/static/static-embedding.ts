import { type Embedding, normalise } from '../../domain/vectors/similarity.ts'
import { hashEmbedding } from '../embedders/feature-hashing.ts'
import { hasWord } from '../embedders/text-batches.ts'
import { type TokenTable, tableDimensions } from './token-table.ts'
import { splitText } from './word-pieces.ts'

/**
 * The built-in embedder that knows meaning: a text is the weighted sum of the vectors of its word pieces. It needs no
 * network, and gives the same vector on every machine.
 *
 * A text of which the table knows less than half, for example in another script, is hashed instead. The last numbers of
 * a vector are for hashing only, and the others for meaning only: the cosine of two texts of different kinds is 0.
 */
const hashedDimensions = 64
export const staticDimensions = tableDimensions + hashedDimensions

/** Returns a vector of length 1; the zero vector for a text without a letter or digit. */
export function computeStaticEmbedding(text: string, table: TokenTable): Embedding {
  const vector = new Float32Array(staticDimensions)
  const pieces = countPieces(text, table)
  if (pieces) vector.set(normalise(addUp(pieces, table)))
  else vector.set(hashEmbedding(text, hashedDimensions), tableDimensions)
  return vector
}

/** Whether a vector of this embedder was hashed. */
export function isHashed(vector: Embedding): boolean {
  return vector.subarray(0, tableDimensions).every((value) => value === 0)
}

/** Returns how often each piece occurs; undefined when the table knows less than half of the pieces. */
function countPieces(text: string, { vocabulary, scales }: TokenTable): Map<number, number> | undefined {
  const counts = new Map<number, number>()
  let known = 0
  let unknown = 0
  for (const { word, pieces } of splitText(text, vocabulary)) {
    if (!hasWord(word)) continue
    for (const id of pieces ?? [undefined]) {
      if (id === undefined || scales[id] === 0) unknown++
      else {
        known++
        counts.set(id, (counts.get(id) ?? 0) + 1)
      }
    }
  }
  return known > 0 && known >= unknown ? counts : undefined
}

function addUp(counts: ReadonlyMap<number, number>, { scales, values }: TokenTable): Embedding {
  const sum = new Float64Array(tableDimensions)
  for (const [id, count] of counts) {
    const weight = count * weigh(id) * (scales[id] ?? 0)
    const start = id * tableDimensions
    const row = values.subarray(start, start + tableDimensions)
    for (let at = 0; at < tableDimensions; at++) sum[at] = (sum[at] ?? 0) + weight * (row[at] ?? 0)
  }
  return Float32Array.from(sum)
}

/** The id of the most frequent word. Words are listed by how often they occur. */
const mostFrequent = 1_996
/** The frequency at which a piece counts half. */
const halfAt = 5e-4

/**
 * Smooth inverse frequency: common pieces say little. The frequency follows from the place in the vocabulary by the law
 * of Zipf, so the weight of a piece is the same in every store.
 */
function weigh(id: number): number {
  const frequency = 1 / (10.9 * Math.max(1, id - mostFrequent + 1))
  return halfAt / (halfAt + frequency)
}
