import type { Embedding } from '../../domain/vectors/similarity.ts'

/**
 * Cells of an inverted file: each vector belongs to the cell with the nearest centroid, and a search reads the cells
 * whose centroids are nearest to the question.
 */

/** A set of cells, learnt at one time. */
export type CellSet = {
  id: number
  dimensions: number
  /** One centroid after the other. */
  centroids: Float32Array
  /** How many vectors of the sample are in each cell. */
  members: readonly number[]
}

/** Every search reads this cell: its vectors do not belong to a set. */
export const noCell = 0
/** A cell is the id of its set times this number plus its place in the set. */
export const cellsPerSet = 16_384

export const computeFirstCell = ({ id }: Pick<CellSet, 'id'>) => id * cellsPerSet

/** Returns the nearest cells that contain a share of all vectors, nearest first. */
export function findNearestCells(set: CellSet, vector: Embedding, share: number): number[] {
  const scores = scoreCells(set, vector)
  const order = Array.from(scores.keys()).sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0))
  const total = set.members.reduce((sum, count) => sum + count, 0)
  const cells: number[] = []
  let reached = 0
  for (const place of order) {
    if (reached >= share * total) break
    cells.push(computeFirstCell(set) + place)
    reached += set.members[place] ?? 0
  }
  return cells
}

function scoreCells({ centroids, dimensions, members }: CellSet, vector: Embedding): Float32Array {
  return Float32Array.from(members, (_, place) => computeProduct(centroids, place * dimensions, vector))
}

/** Four sums, because a processor does not wait for one addition to start another. */
export function computeProduct(values: Float32Array, from: number, vector: Embedding): number {
  let first = 0
  let second = 0
  let third = 0
  let fourth = 0
  const { length } = vector
  let index = 0
  for (; index + 3 < length; index += 4) {
    const at = from + index
    first += (values[at] as number) * (vector[index] as number)
    second += (values[at + 1] as number) * (vector[index + 1] as number)
    third += (values[at + 2] as number) * (vector[index + 2] as number)
    fourth += (values[at + 3] as number) * (vector[index + 3] as number)
  }
  for (; index < length; index++) first += (values[from + index] as number) * (vector[index] as number)
  return first + second + third + fourth
}

/** Returns which of the centroids at some places is nearest. */
export function findNearestOf(
  centroids: Float32Array,
  places: ArrayLike<number>,
  vector: Embedding,
): { place: number; score: number } {
  const nearest = { place: 0, score: Number.NEGATIVE_INFINITY }
  for (let index = 0; index < places.length; index++) {
    const place = places[index] as number
    const score = computeProduct(centroids, place * vector.length, vector)
    if (score <= nearest.score) continue
    nearest.place = place
    nearest.score = score
  }
  return nearest
}

/** Rounds centroids to a byte for each number, all by the same factor, because their lengths must stay equal. */
export function encodeCentroids(centroids: Float32Array): Buffer {
  const largest = centroids.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return Buffer.from(Int8Array.from(centroids, (value) => Math.round((value * 127) / (largest || 1))).buffer)
}

export function decodeCentroids(code: Buffer): Float32Array {
  return Float32Array.from(new Int8Array(code.buffer, code.byteOffset, code.length))
}
