import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { computeCosine, computeDot, hasDirection } from '../../../src/domain/vectors/similarity.ts'
import { hashEmbedding } from '../../../src/embeddings/embedders/feature-hashing.ts'
import {
  createStaticEmbedder,
  readTokenTable,
} from '../../../src/embeddings/static/static-embedder.service.ts'
import {
  computeStaticEmbedding,
  isHashed,
  staticDimensions,
} from '../../../src/embeddings/static/static-embedding.ts'

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const embed = (text: string) => computeStaticEmbedding(text, readTokenTable())
const similarity = (one: string, other: string) => computeCosine(embed(one), embed(other))

describe('the vectors of the provider static', () => {
  it('come from the files that belong to the name of the model', () => {
    const digests = ['vocabulary.txt', 'token-table.bin'].map((name) =>
      digest(readFileSync(resolve(import.meta.dirname, '../../../src/embeddings/static', name))),
    )
    expect({ model: createStaticEmbedder().model, digests }).toEqual({
      model: 'static-v1',
      digests: [
        '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3',
        '65a1ac3f3800e5e6f6d82a389090b92db1a8b5c636096035c52203567998f22f',
      ],
    })
  })

  it('are the same on every machine', () => {
    const texts = ['The billing service is deployed on Fridays.', 'ошибка базы данных', 'E1234 at 0x3fa9']
    const bytes = texts.map((text) => new Uint8Array(embed(text).buffer))
    expect(digest(Buffer.concat(bytes))).toBe(
      '6dc7eeb2b60f99ccac63c4c10755621465868fca0c87e55ebacacd2112f1e99b',
    )
  })

  it('have the length 1', () => {
    for (const text of ['a', 'two words', 'слово', 'word '.repeat(5_000)])
      expect(computeDot(embed(text), embed(text))).toBeCloseTo(1, 5)
  })

  it.each([
    ['The doctor prescribed antibiotics.', 'A physician gave medicine.', 'The train leaves at noon.'],
    ['The outage began at night.', 'when did the failure start', 'Her sister paints landscapes.'],
    ['Paul bought a used car.', 'which vehicle does he own', 'The soup needs more salt.'],
  ])('are nearer for a paraphrase of %j than for another subject', (text, paraphrase, other) => {
    expect(similarity(text, paraphrase)).toBeGreaterThan(similarity(text, other) + 0.15)
  })

  it.each(['Где лежит ключ от сарая?', '鍵はどこにありますか', 'أين المفتاح'])(
    'of %j, of which the table knows little, are hashed',
    (text) => {
      const vector = embed(text)
      expect(isHashed(vector)).toBe(true)
      expect([...vector.subarray(staticDimensions - 64)]).toEqual([...hashEmbedding(text, 64)])
    },
  )

  it('of a hashed text are as near to any other text as nothing', () => {
    expect(similarity('Где лежит ключ от сарая?', 'Where is the key of the shed?')).toBe(0)
    expect(similarity('Где лежит ключ от сарая?', 'ключ от сарая лежит где')).toBeGreaterThan(0.8)
  })

  it('of a text with a few foreign words are not hashed', () => {
    expect(isHashed(embed('The word for key in Russian is ключ'))).toBe(false)
  })

  it.each(['', '!?…', '👍', '   '])('of %j are zero', (text) => {
    expect(hasDirection(embed(text))).toBe(false)
  })

  it('do not depend on what follows the first 8,000 characters', async () => {
    const start = 'word and sentence '.repeat(500).slice(0, 8_000)
    const [one, other] = await createStaticEmbedder().embed([start, `${start} something else entirely`])
    expect(one).toEqual(other)
  })
})
