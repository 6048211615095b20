import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeCosine, findNearest, normalise } from '../../../src/domain/vectors/similarity.ts'
import { encode } from '../../../src/domain/vectors/vector-codes.ts'
import { hashEmbedding } from '../../../src/embeddings/embedders/feature-hashing.ts'
import { findMostSimilar } from '../../../src/embeddings/surprise/decoded-neighbours.ts'
import {
  isIndependentSource,
  type RecordSource,
} from '../../../src/embeddings/surprise/independent-source.ts'
import { decodeVector } from '../../../src/embeddings/vectors/decoded-vectors.ts'
import { findNearestIds, unpackSignatures } from '../../../src/embeddings/vectors/signature-matrix.ts'
import { hammingDistance } from '../../support/checks/hamming-distance.ts'
import { idOf } from '../../support/texts/numbered-ids.ts'

const signature = fc.uint8Array({ minLength: 128, maxLength: 128 })

/** Packs signatures as PostgreSQL does. */
function pack(signatures: readonly Uint8Array[]): Buffer {
  const each = signatures.map((bits, at) =>
    Buffer.concat([Buffer.from(idOf(at).replaceAll('-', ''), 'hex'), Buffer.from([0, 0, 4, 0]), bits]),
  )
  return Buffer.concat(each)
}

describe('the search for the nearest signatures', () => {
  it('returns the nearest up to the limit', () => {
    fc.assert(
      fc.property(
        fc.array(signature, { maxLength: 40 }),
        signature,
        fc.nat(12),
        (signatures, query, spare) => {
          const most = 1 + spare
          const found = findNearestIds(unpackSignatures(pack(signatures)), query, most)
          const distanceOf = (at: number) => hammingDistance(signatures[at] ?? query, query)
          const expected = signatures.map((_, at) => distanceOf(at)).sort((one, other) => one - other)
          expect(new Set(found).size).toBe(Math.min(most, signatures.length))
          expect(
            found
              .map((id) => distanceOf(Number.parseInt(id.slice(-12), 16)))
              .sort((one, other) => one - other),
          ).toEqual(expected.slice(0, most))
        },
      ),
    )
  })

  it('returns nothing for an empty matrix', () => {
    expect(findNearestIds(unpackSignatures(Buffer.alloc(0)), new Uint8Array(128), 5)).toEqual([])
  })
})

const text = fc.array(fc.constantFrom('ada', 'billing', 'cat', 'deploy', 'frozen', 'printer'), {
  minLength: 1,
  maxLength: 6,
})
const vectorOf = (words: readonly string[]) => hashEmbedding(words.join(' '), 256)

/** The vector of a few words, one of them repeated, has one large number; two bits round the others to nothing. */
const maxWrong = { 8: 0.02, 4: 0.2, 2: 0.7 }

describe('the similarity of stored vectors', () => {
  it('is the cosine at full precision, in the same order', () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 12 }), (question, others) => {
        const kept = others.map((words, at) => ({ id: idOf(at), vector: vectorOf(words) }))
        const decoded = kept.map(({ id, vector }) =>
          decodeVector({ id, bits: 32, code: encode(vector, 32) }, 256),
        )
        expect(findMostSimilar(vectorOf(question), decoded, 5)).toEqual(
          findNearest(vectorOf(question), kept, 5),
        )
      }),
    )
  })

  it('is 1 for equal vectors at every precision, and near the cosine otherwise', () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom(8 as const, 4 as const, 2 as const), (one, other, bits) => {
        const query = vectorOf(one)
        const known = normalise(vectorOf(other))
        const like = (vector: Float32Array) =>
          findMostSimilar(query, [decodeVector({ id: idOf(1), bits, code: encode(vector, bits) }, 256)], 5)[0]
            ?.similarity
        expect(like(query)).toBeCloseTo(1, 9)
        expect(Math.abs((like(known) ?? 0) - computeCosine(query, known))).toBeLessThan(maxWrong[bits])
      }),
    )
  })
})

describe('an independent source', () => {
  const recordFrom = (more: object = {}, sources: object = {}): RecordSource => ({
    source_type: 'ai',
    sensitivity: 'low',
    provenance: { sources: [{ kind: 'event', ref: 'r', ...sources }] },
    ...more,
  })
  it('has another author or is of another kind; an unknown author is never another one', () => {
    const ada = recordFrom({}, { created_by: 'ada' })
    expect(isIndependentSource(recordFrom({}, { created_by: 'grace' }), ada)).toBe(true)
    expect(isIndependentSource(ada, ada)).toBe(false)
    expect(isIndependentSource(recordFrom(), ada)).toBe(false)
    expect(isIndependentSource(ada, recordFrom())).toBe(true)
    expect(isIndependentSource(recordFrom({ source_type: 'human' }), ada)).toBe(true)
    expect(
      isIndependentSource(recordFrom({}, { ref: 'api:grace' }), recordFrom({}, { ref: 'api:ada' })),
    ).toBe(true)
    expect(isIndependentSource(recordFrom({}, { ref: 'api:ada' }), ada)).toBe(false)
    expect(isIndependentSource(recordFrom({ source_type: 'human', sensitivity: 'high' }), ada)).toBe(false)
  })
})
