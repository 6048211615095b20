import { computeDot, type Embedding } from '../../domain/vectors/similarity.ts'

/** Groups of records that are similar enough to be merged. */

export const minMembers = 5
/** More similar records than this form the next group. */
export const maxMembers = 50

/** Indexes in the partition: the seed first, then the others by similarity to it. */
export type Group = readonly number[]

/** `getVector` returns vectors of length 1. */
type GroupInput = {
  candidates: readonly number[]
  /** The cosine above which records belong together. */
  minCosine: number
  getVector(place: number): Embedding | undefined
}

/** Returns the group around a seed, from records that belong to no group yet. Undefined if they are too few. */
export function groupAround(
  seed: number,
  { candidates, minCosine, getVector }: GroupInput,
): Group | undefined {
  const vector = getVector(seed)
  if (!vector || candidates.length < minMembers - 1) return undefined
  const alike = candidates
    .flatMap((place) => {
      const other = getVector(place)
      const similarity = other ? computeDot(vector, other) : 0
      return similarity > minCosine ? [{ place, similarity }] : []
    })
    .sort((one, other) => other.similarity - one.similarity || one.place - other.place)
  if (alike.length < minMembers - 1) return undefined
  return [seed, ...alike.slice(0, maxMembers - 1).map(({ place }) => place)]
}
