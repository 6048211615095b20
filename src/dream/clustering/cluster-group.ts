import { dot, type Embedding } from '../../domain/similarity.ts'

/** Those that are alike enough to be told as one. */

export const minMembers = 5
/** What is more alike than there is room for makes the next group. */
export const maxMembers = 50
const minCosine = 0.8

/** Places of a partition, the seed first and then by their likeness to it. */
export type Group = readonly number[]

/** `vectorOf`: of length 1. */
type GroupInput = { candidates: readonly number[]; getVector(place: number): Embedding | undefined }

/** Around a seed, of those that belong to no group yet; undefined where they are too few. */
export function groupAround(seed: number, { candidates, getVector }: GroupInput): Group | undefined {
  const vector = getVector(seed)
  if (!vector || candidates.length < minMembers - 1) return undefined
  const alike = candidates
    .flatMap((place) => {
      const other = getVector(place)
      const likeness = other ? dot(vector, other) : 0
      return likeness > minCosine ? [{ place, likeness }] : []
    })
    .sort((one, other) => other.likeness - one.likeness || one.place - other.place)
  if (alike.length < minMembers - 1) return undefined
  return [seed, ...alike.slice(0, maxMembers - 1).map(({ place }) => place)]
}
