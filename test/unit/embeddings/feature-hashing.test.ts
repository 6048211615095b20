import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeCosine, computeDot, hasDirection } from '../../../src/domain/vectors/similarity.ts'
import { hashEmbedding as hash } from '../../../src/embeddings/embedders/feature-hashing.ts'
import { createHashEmbedder } from '../../../src/embeddings/embedders/hash-embedder.ts'

/** Wide enough that words rarely share a bucket: these tests are about the features. */
const hashEmbedding = (text: string, dimensions = 384) => hash(text, dimensions)
const likeness = (one: string, other: string) => computeCosine(hashEmbedding(one), hashEmbedding(other))

describe('a hashed vector', () => {
  it('is the same on every machine and in every version, because vectors are stored', () => {
    const vector = hashEmbedding('Deploys of user-auth need Node 24; naïve CAFÉ Ⅳ 東京タワー.')
    const bytes = Buffer.alloc(vector.length * 4)
    for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(
      '7e9a0ed55afe7d4b548d21f50add6af3b0c77fd13928f78317102bae45397087',
    )
  })

  it('has the length 1 and the requested dimensions', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 8, max: 2_048 }), (text, dimensions) => {
        const vector = hashEmbedding(`word ${text}`, dimensions)
        expect(vector).toHaveLength(dimensions)
        expect(computeDot(vector, vector)).toBeCloseTo(1, 5)
      }),
    )
  })

  it.each(['', '   ', '!!! … --'])('is zero for %j, which has no word', (text) => {
    const vector = hashEmbedding(text)
    expect(hasDirection(vector)).toBe(false)
    expect(computeCosine(vector, hashEmbedding('text'))).toBe(0)
  })

  it('ignores case, punctuation, spacing and the composition of letters', () => {
    const plain = hashEmbedding('the café of user auth')
    expect(hashEmbedding('  The CAFE\u0301, of\n(User-Auth)!')).toEqual(plain)
    expect(hashEmbedding('ｔｈｅ café of user auth')).toEqual(plain)
  })

  it('ignores the order of words', () => {
    expect(likeness('dark mode is preferred', 'preferred is mode dark')).toBeCloseTo(1, 6)
  })

  it('counts repetitions less: a word repeated ten times does not decide alone', () => {
    const repeated = `${'retry '.repeat(10)}timeout`
    expect(likeness(repeated, 'timeout')).toBeGreaterThan(0.2)
    expect(likeness(repeated, 'retry')).toBeGreaterThan(likeness(repeated, 'timeout'))
  })

  it.each([
    ['why did the deployment fail', 'The deployment failed on the cluster', 'The user prefers dark mode'],
    [
      'postgres connection timeout',
      'connecting to PostgreSQL timed out',
      'the recipe needs flour and butter',
    ],
    ['src/http/app.ts', 'a fault in src/http/app.ts', 'a fault in the billing report'],
    ['東京タワー', '東京タワーの高さ', '大阪城公園'],
  ])('of %j is nearer to that of %j than to that of %j', (query, related, unrelated) => {
    expect(likeness(query, related)).toBeGreaterThan(likeness(query, unrelated) + 0.1)
  })

  it('is far from those of texts with nothing in common', () => {
    expect(Math.abs(likeness('quarterly budget forecast', 'kubernetes pod eviction'))).toBeLessThan(0.2)
  })
})

describe('the hash embedder', () => {
  it('names the version of the hashing and has 256 dimensions by default', async () => {
    expect(createHashEmbedder()).toMatchObject({ provider: 'hash', model: 'hash-v1', dimensions: 256 })
    expect(await createHashEmbedder().embed(['text', ''])).toEqual([hash('text', 256), new Float32Array(256)])
    expect(await createHashEmbedder(64).embed(['text'])).toEqual([hash('text', 64)])
  })
})
