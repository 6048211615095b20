import { randomUUID } from 'node:crypto'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../../src/db/connection.ts'
import { createSeal } from '../../src/domain/identity/tombstone-seal.ts'
import { findNearest } from '../../src/domain/vectors/similarity.ts'
import { ensureNearestIndex } from '../../src/embeddings/search/vector-index.service.ts'
import { findAmongIndexed } from '../../src/embeddings/search/vector-search.queries.ts'
import { createVectorSearch } from '../../src/embeddings/search/vector-search.service.ts'
import { computeSignature, formatSignature } from '../../src/embeddings/vectors/signature.ts'
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

const dimensions = 64
const size = 1_500
const source = createVectorSource(9)
const centres = Array.from({ length: 20 }, () => source.unit(dimensions))
const near = (at: number) => source.near(centres[at % 20] ?? source.unit(dimensions), 0.9)
const placed: InsertedVector[] = Array.from({ length: size }, (_, at) => ({
  id: idOf(at + 1),
  vector: near(at),
}))
const queries = Array.from({ length: 20 }, (_, at) => near(at))

let database: Awaited<ReturnType<typeof openTestDatabase>>
let hasExtension: boolean
let serving: { id: number; dimensions: number }
let other: { id: number; dimensions: number }
let lines: string[]
const log = createLogger({ level: 'info', clock: createTestClock(), write: (line) => void lines.push(line) })

beforeAll(async () => {
  database = await openTestDatabase()
  const { rows } = await sql`select from pg_available_extensions where name = 'vector'`.execute(database.db)
  hasExtension = rows.length > 0
  const drafts = placed.map(({ id }) => {
    const payload = { kind: 'working', thread_id: 't', state: 'planning', context_summary: id } as const
    const context = {
      caller: rootCaller,
      now: new Date('2026-01-01'),
      id,
      defaultSensitivity: 'low',
      policies: oneDayPolicies,
    } as const
    return draftRecord({ type: 'working', payload }, context)
  })
  await insertRecords(database.db, drafts, { textLanguage: 'simple', seal: createSeal('a key') })
  serving = { id: await insertEmbeddingModel(database.db, dimensions), dimensions }
  // The next model, whose signatures lie among those of the serving one.
  other = {
    id: await insertEmbeddingModel(database.db, dimensions + 1, { serves: false }),
    dimensions: dimensions + 1,
  }
  await insertVectors(database.db, serving.id, placed)
  await insertVectors(
    database.db,
    other.id,
    placed.map(({ id, vector }) => ({ id, vector: Float32Array.from([...vector, 0.01]) })),
  )
})
beforeEach((context) => {
  lines = []
  if (!hasExtension) context.skip('this server has no pgvector')
})
afterAll(() => database.close())

const find = (query: Float32Array, conditions: RawBuilder<SqlBool>[] = [], limit = 10) =>
  createVectorSearch({ db: database.db, clock: createTestClock() }).find({
    model: serving,
    vector: query,
    conditions,
    limit,
  })
const hasIndex = () => createVectorSearch({ db: database.db, clock: createTestClock() }).hasIndex(serving.id)

describe('the pgvector index', () => {
  it('is created once by several workers and finds what a scan finds', async () => {
    const before = await Promise.all(queries.map((query) => find(query)))
    expect(await hasIndex()).toBe(false)
    await Promise.all([1, 2, 3].map(() => ensureNearestIndex(database.db, log)))
    await ensureNearestIndex(database.db, log)
    expect([await hasIndex(), lines]).toEqual([true, []])
    const after = await Promise.all(queries.map((query) => find(query)))
    const shared = after.map((found, at) => {
      const ids = new Set(before[at]?.map(({ id }) => id))
      return found.filter(({ id }) => ids.has(id)).length / 10
    })
    expect(shared.reduce((sum, share) => sum + share, 0) / shared.length).toBeGreaterThanOrEqual(0.98)
  })

  it('never returns a vector of another model', async () => {
    await ensureNearestIndex(database.db, log)
    for (const query of queries.slice(0, 5)) {
      const search = {
        signature: formatSignature(computeSignature(query)),
        conditions: [],
        limit: 500,
        withCodes: true,
      }
      const found = await findAmongIndexed(database.db, { ...search, modelId: other.id })
      expect(found).toHaveLength(500)
      expect(found.every(({ code }) => code?.length === 4 * other.dimensions)).toBe(true)
    }
  })

  it('finds every match, even those it alone would not reach', async () => {
    await ensureNearestIndex(database.db, log)
    const [query = new Float32Array(dimensions)] = queries
    const farthest = findNearest(query, placed, size).slice(-3)
    const ids = farthest.map(({ id }) => id)
    const found = await find(query, [sql<SqlBool>`r.id = any(${ids}::uuid[])`])
    expect(found.map(({ id }) => id)).toEqual(farthest.map(({ id }) => id))
    expect(await find(query, [], 1_500)).toHaveLength(1_500)
  })

  it('is not used when it is incomplete, and is built again', async () => {
    await ensureNearestIndex(database.db, log)
    await sql`
      update pg_index set indisvalid = false where indexrelid = 'signatures_nearest'::regclass
    `.execute(database.db)
    expect(await hasIndex()).toBe(false)
    expect(await find(queries[0] ?? new Float32Array(dimensions))).toHaveLength(10)
    await ensureNearestIndex(database.db, log)
    expect([await hasIndex(), lines]).toEqual([true, []])
  })

  it('is replaced by scans when the role may not create it, and the log says so', async () => {
    await sql`drop extension if exists vector cascade`.execute(database.db)
    const role = `membrane_test_${randomUUID().replaceAll('-', '')}`
    await sql`create role ${sql.ref(role)} login password 'none'`.execute(database.db)
    const url = new URL(database.url)
    url.username = role
    url.password = 'none'
    const bounds = { poolSize: 1, statementTimeoutMs: 30_000, lockTimeoutMs: 10_000 }
    const humble = connect({ ...bounds, url: url.href, applicationName: 'membrane test' })
    try {
      await ensureNearestIndex(humble.db, log)
    } finally {
      await humble.close()
      await sql`drop role ${sql.ref(role)}`.execute(database.db)
    }
    expect(lines.join('')).toContain('pgvector could not be set up')
    expect(await hasIndex()).toBe(false)
    expect(await find(queries[0] ?? new Float32Array(dimensions))).toHaveLength(10)
  })
})
