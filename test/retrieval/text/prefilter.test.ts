import { type SqlBool, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasIdIn } from '../../../src/db/fragments/id-condition.ts'
import { fullTrust } from '../../../src/domain/trust/caller.ts'
import { readQuery } from '../../../src/domain/words/text-query.ts'
import { hashEmbedding } from '../../../src/embeddings/embedders/feature-hashing.ts'
import { createTextMemory } from '../../../src/retrieval/text/memory/text-memory.service.ts'
import { createTextSearch } from '../../../src/retrieval/text/text-search.service.ts'
import { createServices } from '../../../src/services.ts'
import type { Body } from '../../support/requests/record-requests.ts'
import { buildService, buildStatement } from '../../support/requests/retrieval-requests.ts'
import { type LoggedDatabase, openLoggedDatabase } from '../../support/statements/logged-statements.ts'
import { insertEmbeddingModel, insertVectors } from '../../support/stores/insert-vectors.ts'
import { startTestApp } from '../../support/test-app.ts'

const dimensions = 256
let rare: string[]
let all: string[]
let entity: string
let db: LoggedDatabase['db']
let listStatements: LoggedDatabase['listStatements']

/** 250 statements, of which three have a tag of their own, and one entity. */
const app = await startTestApp()
beforeAll(async () => {
  ;({ db, listStatements } = openLoggedDatabase(app.database.pool))
  const records = Array.from({ length: 250 }, (_, at) =>
    buildStatement(`apple number ${at} of the garden`, { tags: at < 3 ? ['common', 'rare'] : ['common'] }),
  )
  const answer = await app.request('POST', '/v1/records/batch', {
    body: { records: [...records, buildService('garden')] },
  })
  expect(answer.status).toBe(200)
  const ids: string[] = (answer.body as Body).results.map(({ record }: Body) => record.id)
  const modelId = await insertEmbeddingModel(app.database.db, dimensions)
  const vector = hashEmbedding('apple', dimensions)
  await insertVectors(
    app.database.db,
    modelId,
    ids.map((id) => ({ id, vector })),
  )
  all = ids
  rare = ids.slice(0, 3).sort()
  entity = ids.at(-1) ?? ''
})
afterAll(() => app.close())

describe('the records that can be an answer', () => {
  const list = async (more: { tags?: string[]; types?: string[]; layer?: string }, question = 'apple') => {
    const search = createTextSearch({ clock: app.clock, textLanguage: 'english', smallStorePages: -1 })
    const conditions = [
      sql<SqlBool>`r.forgotten_at is null`,
      ...(more.layer ? [sql<SqlBool>`r.layer = ${more.layer}::memory_layer`] : []),
    ]
    const found = await search.prefilter(db, {
      query: readQuery(question),
      conditions,
      tags: more.tags,
      isFiltered: more.layer !== undefined,
      types: more.types,
    })
    return found?.sort()
  }

  it('are listed where tags, types, quotes or other filters leave few', async () => {
    expect(await list({ tags: ['rare'] })).toEqual(rare)
    expect(await list({ tags: ['common', 'rare'] })).toEqual(rare)
    expect(await list({ types: ['entity', 'plan_graph'] })).toEqual([entity])
    expect(await list({}, '"apple number 0 of"')).toEqual(all.slice(0, 1))
    expect(await list({ tags: ['common'] }, '"apple number 0 of"')).toEqual(all.slice(0, 1))
    expect(await list({ tags: ['nothing'] })).toEqual([])
    expect(await list({ layer: 'working' })).toEqual([])
    expect(await list({ tags: ['rare'], types: ['entity'] })).toEqual([])
  })

  it('are not listed where they are more than two hundred, or nothing is required', async () => {
    expect(await list({ tags: ['common'] })).toBeUndefined()
    expect(await list({ types: ['semantic'] })).toBeUndefined()
    expect(await list({ layer: 'semantic' })).toBeUndefined()
    expect(await list({})).toBeUndefined()
  })
})

describe('a question with tags that few records have', () => {
  const ask = async (more: object) => {
    const { config, clock, ids } = app
    const { retrieval } = createServices({ config, db, clock, ids, log: app.app.log })
    const call = { caller: { trust: fullTrust } } as Parameters<typeof retrieval.retrieve>[0]
    let found: string[] = []
    const statements = await listStatements(async () => {
      const { answer } = await retrieval.retrieve(call, { task_descriptor: 'apple', max_hops: 0, ...more })
      found = answer.root_ids.sort()
    })
    return { found, comparesAll: statements.some((statement) => statement.includes('bit_count')) }
  }

  it('compares the vectors of these records alone', async () => {
    expect(await ask({ tags: ['rare'] })).toEqual({ found: rare, comparesAll: false })
    expect((await ask({ tags: ['common'], task_descriptor: 'zeppelin' })).comparesAll).toBe(true)
  })

  it('is answered by the most salient of them where none matches', async () => {
    expect((await ask({ tags: ['rare'], task_descriptor: 'zeppelin' })).found).toEqual(rare)
    expect((await ask({ tags: ['nothing'], task_descriptor: 'zeppelin' })).found).toEqual([])
  })
})

it('finds by words in memory what the database finds among some records', async () => {
  const texts = createTextMemory({ maxBytes: 50_000_000 }).openStore(db)
  const found: unknown[] = []
  const memory = {
    ...texts,
    find: async (...asked: Parameters<typeof texts.find>) => {
      const answer = await texts.find(...asked)
      found.push(answer?.ranked.matches.length)
      return answer
    },
  }
  const shared = { clock: app.clock, textLanguage: 'english', smallStorePages: -1 }
  // The best of all are not among these.
  const onlyIds = all.filter((_, at) => at % 5 === 2)
  const asked = {
    query: readQuery('apple 10 garden'),
    trust: fullTrust,
    conditions: [hasIdIn(onlyIds)],
    limit: 50,
  }
  await createTextSearch({ ...shared, memory }).find(db, { ...asked, onlyIds })
  await texts.untilLoaded()
  const inMemory = await createTextSearch({ ...shared, memory }).find(db, { ...asked, onlyIds })
  const inDatabase = await createTextSearch(shared).find(db, asked)
  expect(found).toEqual([undefined, 50])
  expect(inMemory.map(({ id }) => id).sort()).toEqual(inDatabase.map(({ id }) => id).sort())
})
