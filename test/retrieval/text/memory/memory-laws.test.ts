import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { fullTrust, type Trust } from '../../../../src/domain/trust/caller.ts'
import { readQuery } from '../../../../src/domain/words/text-query.ts'
import { createHashEmbedder } from '../../../../src/embeddings/embedders/hash-embedder.ts'
import { createCellCache, createVectorMemory, createVectorSearch } from '../../../../src/embeddings/index.ts'
import { listAnswerConditions, listContextConditions } from '../../../../src/retrieval/filters.queries.ts'
import { createTextMemory, createTextSearch } from '../../../../src/retrieval/index.ts'
import { readQuestion } from '../../../../src/retrieval/question/question.ts'
import { countRuns } from '../../../support/long-run.ts'
import { anyChange, createStoreChanges, scopes, vocabulary } from '../../../support/stores/changing-store.ts'
import { startTestApp, type TestApp } from '../../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_EMBEDDING_PROVIDER: 'hash' } })
afterAll(() => app.close())

const trusts: readonly Trust[] = [
  fullTrust,
  { maxSensitivity: 'low', scopes: null },
  { maxSensitivity: 'low', scopes: ['red', 'red tea'] },
  { maxSensitivity: 'high', scopes: ['blue'] },
]
const question = fc.record({
  word: fc.constantFrom(...vocabulary),
  trust: fc.constantFrom(...trusts),
  scope: fc.constantFrom(undefined, ...scopes),
  /** Whether memory is renewed first. */
  renews: fc.boolean(),
})
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never

/** More than a life has records: the best of all are all, in whatever order rarity puts them. */
const limit = 100

/** A process with words and vectors in memory, beside one that asks the database. */
function openProcesses({ db, clock, config }: TestApp) {
  const time = { now: 0 }
  const keeping = { maxBytes: 50_000_000, now: () => time.now, later: () => undefined }
  const texts = createTextMemory(keeping).openStore(db)
  const index = createVectorMemory({ ...keeping, fewest: 0 }).openStore({ db, cells: createCellCache() })
  const shared = { clock, ...config.records, smallStorePages: -1 }
  const database = { words: createTextSearch(shared), vectors: createVectorSearch({ db, clock }) }
  const memory = {
    words: createTextSearch({ ...shared, memory: texts }),
    vectors: createVectorSearch({ db, clock, memory: index }),
  }
  const embedder = createHashEmbedder()

  async function findWords({ words }: typeof memory, { word, trust, scope }: Question) {
    const asked = readQuestion(scope ? { scopes: [scope] } : {}, trust, clock.now())
    const found = await words.find(db, {
      query: readQuery(word),
      trust,
      limit,
      conditions: listAnswerConditions(asked, 'whole'),
      ...(scope ? { scopes: [scope] } : {}),
      surroundings: { contextConditions: listContextConditions(asked), gapMs: 30 * 60_000, requested: limit },
    })
    return found.map(({ id }) => id).sort()
  }

  async function findVectors({ vectors }: typeof memory, { word, trust, scope }: Question) {
    const { rows } = await sql<{ id: number; dimensions: number }>`
      select id, dimensions from embedding_models where serves
    `.execute(db)
    const [model] = rows
    const [vector] = await embedder.embed([word])
    if (!model || !vector) return []
    const asked = readQuestion(scope ? { scopes: [scope] } : {}, trust, clock.now())
    const conditions = listAnswerConditions(asked, 'whole')
    const found = await vectors.findQuickly({ model, vector, conditions, limit })
    return found.map(({ id }) => id).sort()
  }

  async function expectSame(asked: Question): Promise<void> {
    if (asked.renews) time.now += 10 * 60_000
    for (const find of [findWords, findVectors]) {
      await find(memory, asked)
      await Promise.all([texts.untilLoaded(), index.untilLoaded()])
      const expected = await find(database, asked)
      expect(await Promise.all([find(memory, asked), find(memory, asked)])).toEqual([expected, expected])
    }
  }

  return { expectSame }
}

it('memory finds what the database finds, whatever changes between questions', {
  timeout: 600_000,
}, async () => {
  const life = fc.array(fc.record({ change: anyChange, asked: fc.option(question) }), {
    minLength: 10,
    maxLength: 50,
    size: 'max',
  })
  await fc.assert(
    fc.asyncProperty(life, question, async (steps, last) => {
      await sql`delete from records`.execute(app.db)
      const { make, end } = createStoreChanges(app)
      const { expectSame } = openProcesses(app)
      for (const { change, asked } of steps) {
        await make(change)
        if (asked) await expectSame(asked)
      }
      await end()
      for (const trust of trusts) await expectSame({ ...last, trust })
    }),
    { numRuns: countRuns(30), endOnFailure: true },
  )
})
