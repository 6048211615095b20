import { type Embedding, normalise } from '../../domain/vectors/similarity.ts'
import { type CellSet, computeProduct, findNearestOf } from './cells.ts'

/**
 * Learns centroids from a sample by k-means, first a few groups and then the cells of each group, which takes a
 * fraction of the time. The functions yield now and then, so that the caller can let other work run.
 */

const rounds = 4
const vectorsEach = 500
/** The centroid of fewer vectors would nearly repeat them, and outlive them when they are erased. */
const minMembers = 4

type Learnt = Omit<CellSet, 'id'>

export function* learnCells(sample: readonly Embedding[], count: number): Generator<void, Learnt> {
  const groups = yield* group(sample, Math.round(Math.sqrt(count)))
  const cells: Embedding[] = []
  for (const { members } of groups) {
    const inside = Math.max(1, Math.round((count * members.length) / sample.length))
    const parts = yield* group(members, inside)
    cells.push(...parts.filter((part) => part.members.length >= minMembers).map(({ centroid }) => centroid))
  }
  return yield* countMembers(cells, sample)
}

type Group = { centroid: Embedding; members: Embedding[] }

/** K-means by cosine. It starts from vectors at even distances in the sample, so that the result is repeatable. */
function* group(sample: readonly Embedding[], count: number): Generator<void, Group[]> {
  const most = Math.min(count, sample.length)
  let groups = Array.from(
    { length: most },
    (_, index): Group => ({
      centroid: sample[Math.floor((index * sample.length) / most)] ?? new Float32Array(),
      members: [],
    }),
  )
  for (let round = 0; round < rounds; round++) {
    const places = yield* assign(joinVectors(groups.map(({ centroid }) => centroid)), groups.length, sample)
    const members = groups.map((): Embedding[] => [])
    for (const [index, vector] of sample.entries()) members[places[index] ?? 0]?.push(vector)
    groups = members
      .filter((some) => some.length > 0)
      .map((some): Group => ({ centroid: computeAverage(some), members: some }))
  }
  return groups
}

function* assign(
  centroids: Float32Array,
  count: number,
  sample: readonly Embedding[],
): Generator<void, Uint32Array> {
  const all = Uint32Array.from({ length: count }, (_, place) => place)
  const places = new Uint32Array(sample.length)
  for (const [index, vector] of sample.entries()) {
    if (index % vectorsEach === 0) yield
    places[index] = findNearestOf(centroids, all, vector).place
  }
  return places
}

function* countMembers(cells: readonly Embedding[], sample: readonly Embedding[]): Generator<void, Learnt> {
  const dimensions = sample[0]?.length ?? 0
  const centroids = joinVectors(cells)
  const assigner = yield* createAssigner({ centroids, dimensions, members: Array(cells.length).fill(0) })
  const members = Array<number>(cells.length).fill(0)
  for (const [index, vector] of sample.entries()) {
    if (index % vectorsEach === 0) yield
    const place = assigner(vector)
    members[place] = (members[place] ?? 0) + 1
  }
  return { dimensions, centroids, members }
}

/** How many groups of cells are searched. With all groups the recall is a quarter of a percent higher. */
const groupsRead = 8

/**
 * Returns a function that finds the place of the cell for a vector. It compares only the cells of the nearest groups,
 * which takes a tenth of the time.
 */
export function* createAssigner({
  centroids,
  dimensions,
  members,
}: Learnt): Generator<void, (vector: Embedding) => number> {
  const cells = Array.from(members, (_, place) =>
    normalise(Float32Array.from(centroids.subarray(place * dimensions, (place + 1) * dimensions))),
  )
  const placeByCell = new Map(cells.map((cell, place) => [cell, place]))
  const groups = yield* group(cells, Math.round(Math.sqrt(cells.length)))
  const places = groups.map(({ members }) => Uint32Array.from(members, (cell) => placeByCell.get(cell) ?? 0))
  const above = joinVectors(groups.map(({ centroid }) => centroid))
  return (vector) => {
    const near = Array.from(places, (_, index) => ({
      index,
      score: computeProduct(above, index * dimensions, vector),
    }))
      .sort((one, other) => other.score - one.score)
      .slice(0, groupsRead)
    let nearest = 0
    let best = Number.NEGATIVE_INFINITY
    for (const { index } of near) {
      const found = findNearestOf(centroids, places[index] ?? [], vector)
      if (found.score > best) [best, nearest] = [found.score, found.place]
    }
    return nearest
  }
}

function computeAverage(vectors: readonly Embedding[]): Embedding {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) {
    for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + (vector[index] ?? 0)
  }
  return normalise(sum)
}

function joinVectors(vectors: readonly Embedding[]): Float32Array {
  const dimensions = vectors[0]?.length ?? 0
  const joined = new Float32Array(vectors.length * dimensions)
  for (const [place, vector] of vectors.entries()) joined.set(vector, place * dimensions)
  return joined
}
