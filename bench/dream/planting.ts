import { type Embedding, normalise } from '../../src/domain/vectors/similarity.ts'
import type { Space } from '../embeddings/spaces.ts'
import { createRandom } from '../load.ts'

const dimensions = 384
export const groupSize = 10
/** The distance from the first of its group: a cosine of 0.87 with it, and of 0.76 with the others. */
const aside = 0.57
/** Vectors of models share one direction: two texts with nothing in common have a cosine of 0.4. */
const common = 0.8

/** The first third of the records are groups, one after the other. */
export function isPlanted(place: number, size: number): boolean {
  return place < Math.floor(size / 3 / groupSize) * groupSize
}

/** From the ids of the population, which begin at 1. */
export function placeOf(id: string): number {
  return Number.parseInt(id.slice(-12), 16) - 1
}

export function createPlantedSpace(size: number): Space {
  const random = createRandom(23)
  const gaussian = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const direction = () => normalise(Float32Array.from({ length: dimensions }, gaussian))
  const add = (one: Embedding, other: Embedding, share: number) =>
    normalise(one.map((value, index) => value + share * (other[index] ?? 0)))
  const shared = direction()
  const topic = () => add(direction(), shared, common)
  let place = 0
  let centre = topic()
  const draw = () => {
    const at = place
    const isMember = isPlanted(place, size)
    place++
    if (isMember && at % groupSize > 0) return add(centre, direction(), aside)
    centre = topic()
    return centre
  }
  return { name: 'planted groups', dimensions, draw, ask: draw }
}
