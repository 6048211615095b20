import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTo } from '../../src/db/fragments/visibility.ts'
import { createSeal } from '../../src/domain/identity/tombstone-seal.ts'
import type { Trust } from '../../src/domain/trust/caller.ts'
import { findNearest } from '../../src/domain/vectors/similarity.ts'
import { hashEmbedding } from '../../src/embeddings/embedders/feature-hashing.ts'
import { ensureNearestIndex } from '../../src/embeddings/search/vector-index.service.ts'
import { createVectorSearch } from '../../src/embeddings/search/vector-search.service.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { insertRecords } from '../../src/records/creation/record-creation.queries.ts'
import { draftRecord } from '../../src/records/creation/record-draft.ts'
import { oneDayPolicies } from '../support/apps/one-day-policies.ts'
import { rootCaller } from '../support/apps/root-caller.ts'
import { createTestClock } from '../support/clock.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { type InsertedVector, insertEmbeddingModel, insertVectors } from '../support/stores/insert-vectors.ts'
import { createVectorSource } from '../support/stores/random-vectors.ts'
import { idOf } from '../support/texts/numbered-ids.ts'

const dimensions = 96
const clusters = 40
const each = 60
const source = createVectorSource(11)
const centres = Array.from({ length: clusters }, () => source.unit(dimensions))
const placed: InsertedVector[] = centres.flatMap((centre, cluster) =>
  Array.from({ length: each }, (_, at) => ({
    id: idOf(cluster * each + at + 1),
    vector: source.near(centre, 0.8),
  })),
)
const queries = Array.from({ length: 12 }, (_, at) =>
  source.near(centres[at % clusters] ?? source.unit(dimensions), 0.9),
)

let database: Awaited<ReturnType<typeof openTestDatabase>>
let model: { id: number; dimensions: number }

/** Records of forty scopes, every second one of high sensitivity. */
async function storeRecords(): Promise<void> {
  const drafts = placed.map(({ id }, at) => {
    const payload = { kind: 'working', thread_id: 't', state: 'planning', context_summary: id } as const
    const context = {
      caller: rootCaller,
      now: new Date('2026-01-01'),
      id,
      defaultSensitivity: 'low',
      policies: oneDayPolicies,
    } as const
    const sensitivity = at % 2 === 0 ? ('low' as const) : ('high' as const)
    return draftRecord({ type: 'working', payload, sensitivity, scope: `scope-${at % 40}` }, context)
  })
  for (let at = 0; at < drafts.length; at += 600) {
    await insertRecords(database.db, drafts.slice(at, at + 600), {
      textLanguage: 'simple',
      seal: createSeal('a key'),
    })
  }
}

beforeAll(async () => {
  database = await openTestDatabase()
  await storeRecords()
  model = { id: await insertEmbeddingModel(database.db, dimensions), dimensions }
  await insertVectors(database.db, model.id, placed)
})
afterAll(() => database.close())

const searchFor = () => createVectorSearch({ db: database.db, clock: createTestClock() })
const find = (vector: Float32Array, conditions: RawBuilder<SqlBool>[] = [], limit = 10) =>
  searchFor().find({ model, vector, conditions, limit })

const shareFound = (found: readonly { id: string }[], best: readonly { id: string }[]) =>
  best.filter(({ id }) => found.some((one) => one.id === id)).length / best.length

async function recall(some = queries): Promise<number> {
  let sum = 0
  for (const query of some) sum += shareFound(await find(query), findNearest(query, placed, 10))
  return sum / some.length
}

describe('the nearest vectors', () => {
  it('are nearly all of those of an exact comparison, in the same order', async () => {
    expect(await recall()).toBeGreaterThanOrEqual(0.98)
    const [query = new Float32Array(dimensions)] = queries
    const found = await find(query)
    expect(found).toEqual([...found].sort((one, other) => other.similarity - one.similarity))
    expect(await find(query)).toEqual(found)
  })

  it('are the nearest visible ones, however near hidden ones are', async () => {
    const trust: Trust = { maxSensitivity: 'low', scopes: ['scope-4', 'scope-8'] }
    const seen = placed.filter((_, at) => at % 40 === 4 || at % 40 === 8)
    for (const query of queries.slice(0, 5)) {
      const found = await find(query, [openTo(trust)])
      expect(found.map(({ id }) => id)).toEqual(findNearest(query, seen, 10).map(({ id }) => id))
    }
  })

  it('are found when everything nearer is filtered out', async () => {
    const [query = new Float32Array(dimensions)] = queries
    const kept = findNearest(query, placed, placed.length).slice(-7)
    const ids = kept.map(({ id }) => id)
    const found = await find(query, [sql<SqlBool>`r.id = any(${ids}::uuid[])`])
    expect(found.map(({ id }) => id)).toEqual(kept.map(({ id }) => id))
  })

  it('belong to the requested model', async () => {
    const other = await insertEmbeddingModel(database.db, 64, { serves: false })
    await insertVectors(
      database.db,
      other,
      placed.slice(0, 500).map(({ id }) => ({ id, vector: source.unit(64) })),
    )
    expect(await recall(queries.slice(0, 5))).toBeGreaterThanOrEqual(0.98)
    await database.db.deleteFrom('embedding_models').where('id', '=', other).execute()
  })

  it('are as many as requested', async () => {
    const [query = new Float32Array(dimensions)] = queries
    for (const limit of [1, 100, 700]) expect(await find(query, [], limit)).toHaveLength(limit)
  })

  it('are none for a vector of length zero', async () => {
    expect(await find(new Float32Array(dimensions))).toEqual([])
  })

  it('include vectors of every precision', async () => {
    const some = placed.slice(0, 240)
    const coarse = await insertEmbeddingModel(database.db, dimensions + 1, { serves: false })
    const wider = (vector: Float32Array) => Float32Array.from([...vector, 0])
    const mixed = some.map(({ id, vector }, at) => ({
      id,
      vector: wider(vector),
      bits: ([32, 8, 4, 2] as const)[at % 4] ?? 32,
    }))
    await insertVectors(database.db, coarse, mixed)
    const [query = new Float32Array(dimensions)] = queries
    const found = await searchFor().find({
      model: { id: coarse, dimensions: dimensions + 1 },
      vector: wider(query),
      conditions: [],
      limit: 10,
    })
    expect(shareFound(found, findNearest(query, some, 10))).toBeGreaterThanOrEqual(0.6)
    await database.db.deleteFrom('embedding_models').where('id', '=', coarse).execute()
  })
})

describe('the pgvector index', () => {
  it('finds the same vectors where the extension exists', async (context) => {
    const { rows } = await sql`select from pg_available_extensions where name = 'vector'`.execute(database.db)
    if (rows.length === 0) context.skip('this server has no pgvector')
    const log = createLogger({ level: 'info', clock: createTestClock(), write: () => {} })
    const before = await Promise.all(queries.map((query) => find(query)))
    await Promise.all([ensureNearestIndex(database.db, log), ensureNearestIndex(database.db, log)])
    await ensureNearestIndex(database.db, log)
    const after = await Promise.all(queries.map((query) => find(query)))
    const same = after.map((found, at) => shareFound(found, before[at] ?? []))
    expect(same.reduce((sum, share) => sum + share, 0) / same.length).toBeGreaterThanOrEqual(0.98)
    expect(await searchFor().hasIndex(model.id)).toBe(true)
    const trust: Trust = { maxSensitivity: 'low', scopes: ['scope-4'] }
    const seen = placed.filter((_, at) => at % 40 === 4)
    const [query = new Float32Array(dimensions)] = queries
    expect((await find(query, [openTo(trust)])).map(({ id }) => id)).toEqual(
      findNearest(query, seen, 10).map(({ id }) => id),
    )
  })

  it('is not needed where the extension is missing', async () => {
    const lines: string[] = []
    const log = createLogger({
      level: 'info',
      clock: createTestClock(),
      write: (line) => void lines.push(line),
    })
    await ensureNearestIndex(database.db, log)
    expect(lines).toEqual([])
    expect(await find(hashEmbedding('nothing of this store', dimensions))).toHaveLength(10)
  })
})
