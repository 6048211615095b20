import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeCosine, findNearest } from '../../../src/domain/vectors/similarity.ts'
import { computeSignature, formatSignature } from '../../../src/embeddings/vectors/signature.ts'
import { hammingDistance } from '../../support/checks/hamming-distance.ts'
import { createVectorSource } from '../../support/stores/random-vectors.ts'

const bits = 1_024

describe('the signature of a vector', () => {
  it('is the same on every machine and in every version, because signatures are stored', () => {
    const vector = Float32Array.from({ length: 384 }, (_, index) => ((index * 37) % 101) - 50)
    const golden = [
      'b0f1baf24001b9173743321ff7d5fcc1af3acb3af760ff5db34c9af50ba249d5',
      '844385ad10e810ecc409119b54ec9d36dde5e2a0ccff923cef2c77883208ca2c',
      '933e3fae4e5ee37c3e8c6bc1a67426cf91db5f2868ff98742cf8afae10ab024f',
      '6981661f446b4921e4fa3a5fc1fc6f4c5ee45639960e7d59938adb1981d63c32',
    ].join('')
    expect(computeSignature(vector).toString('hex')).toBe(golden)
  })

  it.each([1, 2, 3, 100, 384, 768, 1_024, 1_536, 3_072, 4_096])(
    'sets half of 1,024 bits for %d dimensions',
    (dimensions) => {
      const source = createVectorSource(dimensions)
      const signature = computeSignature(source.unit(dimensions))
      expect(signature).toHaveLength(bits / 8)
      const set = hammingDistance(signature, Buffer.alloc(bits / 8))
      expect(Math.abs(set / bits - 0.5)).toBeLessThan(0.1)
    },
  )

  it.each([0, 4_097])('refuses %d dimensions', (dimensions) => {
    expect(() => computeSignature(new Float32Array(dimensions))).toThrow(RangeError)
  })

  it('is formatted as a PostgreSQL bit string, highest bit first', () => {
    expect(formatSignature(Buffer.from([0b1000_0001, 0b0000_0101]))).toBe('1000000100000101')
    expect(formatSignature(computeSignature([1, 2, 3]))).toMatch(/^[01]{1024}$/)
  })

  it('does not depend on length, and inverts every bit for the opposite vector', () => {
    const source = createVectorSource(5)
    const vector = source.unit(384)
    const signature = computeSignature(vector)
    expect(computeSignature(vector.map((value) => value * 8))).toEqual(signature)
    expect(hammingDistance(signature, computeSignature(vector.map((value) => -value)))).toBe(bits)
  })
})

describe('the Hamming distance of two signatures', () => {
  it('is the number of bits that differ', () => {
    expect(hammingDistance(Buffer.from([0xff, 0x00]), Buffer.from([0x0f, 0x01]))).toBe(5)
    expect(() => hammingDistance(Buffer.alloc(1), Buffer.alloc(2))).toThrow(RangeError)
  })

  // The share of 1,024 independent bits that differs has a standard deviation of at most 1/64. Five deviations do not occur.
  it.each([2, 3, 8, 100, 384, 768, 1_024, 1_536, 4_096])(
    'estimates the angle between vectors of %d dimensions',
    (dimensions) => {
      const source = createVectorSource(dimensions + 1)
      for (let pair = 0; pair < 40; pair++) {
        const one = source.unit(dimensions)
        const other = pair % 2 === 0 ? source.unit(dimensions) : source.near(one, source.uniform() * 2)
        const angle = Math.acos(computeCosine(one, other)) / Math.PI
        const distance = hammingDistance(computeSignature(one), computeSignature(other)) / bits
        expect(Math.abs(distance - angle)).toBeLessThan(5 / 64)
      }
    },
  )

  it('estimates the angle between sparse vectors', () => {
    const place = fc.integer({ min: 0, max: 383 })
    const sparse = fc.uniqueArray(place, { minLength: 1, maxLength: 6 }).map((places) => {
      const vector = new Float32Array(384)
      for (const [index, at] of places.entries()) vector[at] = index % 2 === 0 ? 1 : -1
      return vector
    })
    fc.assert(
      fc.property(sparse, sparse, (one, other) => {
        const angle = Math.acos(computeCosine(one, other)) / Math.PI
        const distance = hammingDistance(computeSignature(one), computeSignature(other)) / bits
        expect(Math.abs(distance - angle)).toBeLessThan(6 / 64)
      }),
    )
  })
})

describe('the best 300 by signature, compared exactly', () => {
  it('contain at least 98 of 100 of the true ten nearest', () => {
    const source = createVectorSource(11)
    const centres = Array.from({ length: 100 }, () => source.unit(384))
    const draw = (index: number) => source.near(centres[index % 100] ?? source.unit(384), 0.8)
    const stored = Array.from({ length: 3_000 }, (_, index) => {
      const vector = draw(index)
      return { id: String(index), vector, signature: computeSignature(vector) }
    })
    let found = 0
    const queries = 15
    for (let query = 0; query < queries; query++) {
      const question = draw(query * 7)
      const signature = computeSignature(question)
      const candidates = stored
        .map((each) => ({ each, distance: hammingDistance(signature, each.signature) }))
        .sort((one, other) => one.distance - other.distance)
        .slice(0, 300)
      const reached = new Set(
        findNearest(
          question,
          candidates.map(({ each }) => each),
          10,
        ).map(({ id }) => id),
      )
      found += findNearest(question, stored, 10).filter(({ id }) => reached.has(id)).length
    }
    expect(found / (queries * 10)).toBeGreaterThanOrEqual(0.98)
  })
})
