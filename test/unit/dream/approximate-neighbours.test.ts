import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeCosine, type Embedding } from '../../../src/domain/vectors/similarity.ts'
import { countTrees, growTree } from '../../../src/dream/clustering/approximate-neighbours.ts'
import { groupAround, maxMembers } from '../../../src/dream/clustering/cluster-group.ts'
import {
  createNeighbourLists,
  findCandidates,
  type NeighbourLists,
} from '../../../src/dream/clustering/neighbour-lists.ts'
import { computeDistance, maxDistance } from '../../../src/dream/clustering/signature-distance.ts'
import { computeSignature } from '../../../src/embeddings/vectors/signature.ts'
import { hammingDistance } from '../../support/checks/hamming-distance.ts'
import { countRuns } from '../../support/long-run.ts'
import { createVectorSource } from '../../support/stores/random-vectors.ts'

const dimensions = 128

function sign(vectors: readonly Embedding[]) {
  const words = new Uint32Array(vectors.length * 32)
  const bytes = Buffer.from(words.buffer)
  for (const [place, vector] of vectors.entries()) bytes.set(computeSignature(vector), place * 128)
  return { size: vectors.length, ids: Buffer.alloc(0), words }
}

function plantForest(vectors: readonly Embedding[]) {
  const signatures = sign(vectors)
  const nearby = createNeighbourLists(signatures.size)
  for (let nth = 0; nth < countTrees(signatures.size); nth++) Array.from(growTree(signatures, nearby, nth))
  return { signatures, nearby }
}

function groupAll(vectors: readonly Embedding[]): number[][] {
  const { signatures, nearby } = plantForest(vectors)
  return gather(vectors, (seed) => findCandidates(signatures, nearby, seed, 96))
}

function gather(
  vectors: readonly Embedding[],
  contendersFor: (seed: number) => readonly number[],
): number[][] {
  const taken = new Set<number>()
  const groups: number[][] = []
  for (const seed of vectors.keys()) {
    if (taken.has(seed)) continue
    const contenders = contendersFor(seed).filter((place) => !taken.has(place))
    const group = groupAround(seed, {
      candidates: contenders,
      minCosine: 0.8,
      getVector: (place) => vectors[place],
    })
    for (const place of group ?? []) taken.add(place)
    if (group) groups.push([...group])
  }
  return groups
}

const drawFrom = (seed: number) => {
  const { unit, near } = createVectorSource(seed)
  return { draw: () => unit(dimensions), around: near }
}

describe('a group of similar vectors', () => {
  it('contains what is closer than 0.8 to its seed, in one group only, and at least five members', () => {
    const drawn = fc.record({ seed: fc.integer(), sizes: fc.array(fc.nat(9), { maxLength: 5 }) })
    fc.assert(
      fc.property(drawn, ({ seed, sizes }) => {
        const { draw, around } = drawFrom(seed)
        const vectors = sizes.flatMap((size) => {
          const centre = draw()
          return Array.from({ length: size }, () => around(centre, 0.35))
        })
        const groups = groupAll(vectors)
        expect(new Set(groups.flat()).size).toBe(groups.flat().length)
        for (const [first = 0, ...others] of groups) {
          expect(others.length).toBeGreaterThanOrEqual(4)
          const origin = vectors[first] ?? draw()
          for (const place of others)
            expect(computeCosine(origin, vectors[place] ?? origin)).toBeGreaterThan(0.8)
        }
        const all = [...vectors.keys()]
        expect(groups).toEqual(gather(vectors, (from) => all.filter((place) => place !== from)))
      }),
      { numRuns: countRuns(60) },
    )
  })

  it('is the same each time, and is found among many vectors', () => {
    const { draw, around } = drawFrom(7)
    const planted = Array.from({ length: 40 }, () => draw())
    const vectors = planted.flatMap((centre) => [
      centre,
      ...Array.from({ length: 7 }, () => around(centre, 0.4)),
      ...Array.from({ length: 42 }, draw),
    ])
    const groups = groupAll(vectors)
    expect(groups).toEqual(groupAll(vectors))
    const expected = planted.map((_, nth) => Array.from({ length: 8 }, (_each, place) => nth * 50 + place))
    expect(groups.map((group) => [...group].sort((one, other) => one - other))).toEqual(expected)
  })

  it('is limited in size, and the remaining equal vectors form the next group', () => {
    const { draw } = drawFrom(3)
    const same = draw()
    const groups = groupAll(Array.from({ length: 400 }, () => same))
    expect(Math.max(...groups.map(({ length }) => length))).toBeLessThanOrEqual(maxMembers)
    expect(groups.flat().length).toBeGreaterThanOrEqual(350)
  })

  it('does not exist for no vectors, one vector or vectors of length zero', () => {
    expect(groupAll([])).toEqual([])
    expect(groupAll([drawFrom(1).draw()])).toEqual([])
    expect(groupAll(Array.from({ length: 9 }, () => new Float32Array(dimensions)))).toEqual([])
  })
})

describe('the distance of two signatures', () => {
  it('is the number of differing bits as long as it is small', () => {
    const { draw, around } = drawFrom(11)
    for (let nth = 0; nth < 200; nth++) {
      const centre = draw()
      const pair = [centre, around(centre, nth / 200)]
      const [one = Buffer.alloc(0), other = one] = pair.map((vector) => computeSignature(vector))
      const exact = hammingDistance(one, other)
      const distance = computeDistance(sign(pair), 0, 1)
      if (exact <= 210) expect(distance).toBe(exact)
      else expect(distance === exact || distance > maxDistance).toBe(true)
    }
  })
})

describe('the lists of approximate neighbours', () => {
  it('keep the nearest that each member met, in both directions and once', () => {
    const { draw, around } = drawFrom(5)
    const centre = draw()
    const vectors = Array.from({ length: 120 }, (_, place) => (place % 2 ? draw() : around(centre, 0.3)))
    const { nearby } = plantForest(vectors)
    for (const place of vectors.keys()) {
      const known = knownTo(nearby, place)
      expect(new Set(known).size).toBe(known.length)
      expect(known).not.toContain(place)
    }
  })
})

function knownTo({ counts, places }: NeighbourLists, place: number): number[] {
  const each = places.length / counts.length
  return [...places.subarray(place * each, place * each + (counts[place] ?? 0))]
}
