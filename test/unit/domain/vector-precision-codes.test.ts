import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeCosine } from '../../../src/domain/vectors/similarity.ts'
import {
  computeQuantisationStep,
  countCodeBytes,
  decode,
  encode,
  type Precision,
} from '../../../src/domain/vectors/vector-codes.ts'
import { createVectorSource } from '../../support/stores/random-vectors.ts'

const precisions: Precision[] = [32, 8, 4, 2]
const drawn = fc
  .array(fc.float({ min: -1_000, max: 1_000, noNaN: true }), { minLength: 1, maxLength: 40 })
  .map((values) => Float32Array.from(values))

describe('the encoding of a vector', () => {
  it.each([
    [8, 3.9],
    [4, 7.6],
    [2, 14.6],
  ] as const)('with %d bits is at least %d times smaller at 384 dimensions', (bits, ratio) => {
    const vector = createVectorSource(1).unit(384)
    expect((384 * 4) / encode(vector, bits).length).toBeGreaterThanOrEqual(ratio)
  })

  it.each([
    [384, 8, 0.9999],
    [384, 4, 0.99],
    [384, 2, 0.86],
    [768, 8, 0.9999],
    [768, 4, 0.985],
    [768, 2, 0.84],
    [1_536, 8, 0.9999],
    [1_536, 4, 0.985],
    [1_536, 2, 0.82],
  ] as const)('of %d dimensions with %d bits keeps a mean similarity of %d', (dimensions, bits, fidelity) => {
    const source = createVectorSource(dimensions)
    const count = 300
    let sum = 0
    for (let index = 0; index < count; index++) {
      const vector = source.unit(dimensions)
      sum += computeCosine(vector, decode(encode(vector, bits), dimensions, bits))
    }
    expect(sum / count).toBeGreaterThanOrEqual(fidelity)
  })

  it('decodes within half a step, for any dimensions', () => {
    fc.assert(
      fc.property(drawn, fc.constantFrom<Precision>(8, 4, 2), (vector, bits) => {
        const code = encode(vector, bits)
        expect(code).toHaveLength(countCodeBytes(vector.length, bits))
        const decoded = decode(code, vector.length, bits)
        // float32 has 24 bits of precision, so the last one is not lost by the encoding.
        const allowed = computeQuantisationStep(code, bits) / 2 + 1_000 * 2 ** -23
        for (const [index, value] of vector.entries()) {
          expect(Math.abs((decoded[index] ?? Number.NaN) - value)).toBeLessThanOrEqual(allowed)
        }
      }),
    )
  })

  it('with 32 bits is exact', () => {
    fc.assert(
      fc.property(drawn, (vector) => {
        expect(decode(encode(vector, 32), vector.length, 32)).toEqual(vector)
      }),
    )
  })

  it('is the same when a decoded vector is encoded again', () => {
    fc.assert(
      fc.property(drawn, fc.constantFrom<Precision>(8, 4, 2), (vector, bits) => {
        const code = encode(vector, bits)
        const decoded = decode(code, vector.length, bits)
        expect(encode(decoded, bits).subarray(8)).toEqual(code.subarray(8))
      }),
    )
  })

  it.each(precisions)('with %d bits keeps a vector of equal coordinates', (bits) => {
    const vector = Float32Array.from([0.25, 0.25, 0.25])
    expect(decode(encode(vector, bits), 3, bits)).toEqual(vector)
  })

  it('packs the first coordinate into the lowest bits', () => {
    const code = encode(Float32Array.from([0, 1, 2, 3, 3]), 2)
    expect([...code.subarray(8)]).toEqual([0b11_10_01_00, 0b11])
    expect(computeQuantisationStep(code, 2)).toBe(1)
    expect(computeQuantisationStep(encode(Float32Array.from([0, 3]), 32), 32)).toBe(0)
  })

  it('is refused for another length', () => {
    expect(() => decode(Buffer.alloc(10), 384, 8)).toThrow(RangeError)
  })

  it('can be read at any position of a buffer', () => {
    const vector = Float32Array.from([1, -2, 3])
    const code = encode(vector, 32)
    const shifted = Buffer.concat([Buffer.alloc(1), code]).subarray(1)
    expect(decode(shifted, 3, 32)).toEqual(vector)
  })
})
