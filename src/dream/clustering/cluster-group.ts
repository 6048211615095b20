import { dot, type Embedding } from '../../domain/similarity.ts'

/** Those that are alike enough to be told as one. */

export const leastMembers = 5
/** What is more alike than there is room for makes the next group. */
export const mostMembers = 50
const leastCosine = 0.8

/** Places of a partition, the seed first and then by their likeness to it. */
export type Group = readonly number[]

/** `vectorOf`: of length 1. */
type Around = { contenders: readonly number[]; vectorOf(place: number): Embedding | undefined }

/** Around a seed, of those that belong to no group yet; undefined where they are too few. */
export function gatherAround(seed: number, { contenders, vectorOf }: Around): Group | undefined {
  const vector = vectorOf(seed)
  if (!vector || contenders.length < leastMembers - 1) return undefined
  const alike = contenders
    .flatMap((place) => {
      const other = vectorOf(place)
      const likeness = other ? dot(vector, other) : 0
      return likeness > leastCosine ? [{ place, likeness }] : []
    })
    .sort((one, other) => other.likeness - one.likeness || one.place - other.place)
  if (alike.length < leastMembers - 1) return undefined
  return [seed, ...alike.slice(0, mostMembers - 1).map(({ place }) => place)]
}
