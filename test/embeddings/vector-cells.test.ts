import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTo } from '../../src/db/fragments/visibility.ts'
import { transact } from '../../src/db/transaction.ts'
import { unscoped } from '../../src/domain/trust/caller.ts'
import { findNearest } from '../../src/domain/vectors/similarity.ts'
import { createCellCache } from '../../src/embeddings/cells/cell-cache.service.ts'
import { createCellUpkeep } from '../../src/embeddings/cells/cell-upkeep.service.ts'
import { insertCellSet } from '../../src/embeddings/cells/cells.queries.ts'
import { cellsPerSet, noCell } from '../../src/embeddings/cells/cells.ts'
import { createVectorSearch } from '../../src/embeddings/search/vector-search.service.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createTestClock } from '../support/clock.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { failOnRow, stopFailing } from '../support/stores/failing-row.ts'
import { type InsertedVector, insertEmbeddingModel, insertVectors } from '../support/stores/insert-vectors.ts'
import { insertWorkingRecords } from '../support/stores/insert-working.ts'
import { createVectorSource } from '../support/stores/random-vectors.ts'
import { idOf } from '../support/texts/numbered-ids.ts'

const dimensions = 32
const size = 1_200
const source = createVectorSource(21)
const centres = Array.from({ length: 24 }, () => source.unit(dimensions))
const around = (at: number) => source.near(centres[at % 24] ?? source.unit(dimensions), 0.5)
const placed: InsertedVector[] = Array.from({ length: size }, (_, at) => ({
  id: idOf(at + 1),
  vector: around(at),
}))
const questions = Array.from({ length: 12 }, (_, at) => around(at))
const isHidden = (at: number) => at % 3 === 0
const lines: string[] = []
const log = createLogger({ level: 'warn', clock: createTestClock(), write: (line) => void lines.push(line) })
const { signal } = new AbortController()

let model: { id: number; dimensions: number }
const database = await openTestDatabase()
beforeAll(async () => {
  await insertWorkingRecords(
    database.db,
    placed.map(({ id }) => id),
    (at) => (isHidden(at) ? 'high' : 'low'),
  )
  model = { id: await insertEmbeddingModel(database.db, dimensions), dimensions }
  await insertVectors(database.db, model.id, placed)
})
afterAll(() => database.close())
afterEach(async () => {
  lines.length = 0
  await sql`update signatures set cell = ${noCell} where cell <> ${noCell}`.execute(database.db)
  await database.db.deleteFrom('vector_cells').execute()
})

const createUpkeep = () => createCellUpkeep({ db: database.db, log, cache: createCellCache(), least: size })
/** A share that reads all vectors, also where the count of them, which PostgreSQL estimates, is too high. */
const everything = 10
/** Reads a third of the vectors by default. */
const createSearch = (share = 1 / 3) =>
  createVectorSearch({ db: database.db, clock: createTestClock(), readPerRoot: share * Math.sqrt(size) })
const find = (
  search: ReturnType<typeof createSearch>,
  vector: Float32Array,
  conditions: RawBuilder<SqlBool>[],
) => search.find({ model, vector, conditions, limit: 10 })

async function recall(search: ReturnType<typeof createSearch>, isHiddenIncluded = true): Promise<number> {
  const trust = { maxSensitivity: 'low' as const, scopes: ['team'] }
  const seen = placed.filter((_, at) => isHiddenIncluded || !isHidden(at))
  let found = 0
  for (const question of questions) {
    const best = new Set(findNearest(question, seen, 10).map(({ id }) => id))
    const near = await find(search, question, isHiddenIncluded ? [] : [openTo(trust)])
    expect(near).toHaveLength(10)
    found += near.filter(({ id }) => best.has(id)).length
  }
  return found / (10 * questions.length)
}

async function readCells() {
  const { rows } = await sql<{ set_id: number; count: number }>`
    select cell / ${sql.lit(cellsPerSet)} as set_id, count(*)::int as count
    from signatures where model_id = ${model.id} group by 1 order by 1
  `.execute(database.db)
  return rows
}

const readSets = async () =>
  (await database.db.selectFrom('vector_cells').select('id').orderBy('id').execute()).map(({ id }) => id)

async function insertSetOf(first: Float32Array, second: Float32Array): Promise<number> {
  const centroids = Float32Array.from([...first, ...second])
  const set = { modelId: model.id, vectors: size, members: [1, 1], centroids }
  await transact(database.db, {}, (tx) => insertCellSet(tx, set))
  return (await readSets()).at(-1) ?? 0
}

describe('the cells of vectors', () => {
  it('are learnt once, hold every vector, and a search that reads a third of them finds nearly all', async () => {
    const search = createSearch()
    expect(await recall(search)).toBeGreaterThanOrEqual(0.98)
    await Promise.all([createUpkeep().tidy(signal), createUpkeep().tidy(signal)])
    expect(await readSets()).toHaveLength(1)
    await createUpkeep().tidy(signal)
    await createUpkeep().tidy(signal)
    const [id] = await readSets()
    expect(await readCells()).toEqual([{ set_id: id, count: size }])
    // The sets that this search had read before are out of date.
    expect(await recall(search)).toBeGreaterThanOrEqual(0.95)
    expect(await recall(createSearch(), false)).toBeGreaterThanOrEqual(0.95)
  })

  it('do not hide a vector that belongs to no cell or to an older set', async () => {
    const [first = new Float32Array(), second = new Float32Array()] = centres
    const older = await insertSetOf(first, second)
    const search = createSearch(everything)
    await recall(search)
    const newer = await insertSetOf(second, first)
    const cells = sql`case when abs(hashtext(record_id::text)) % 3 = 0 then ${noCell} else
      (case when abs(hashtext(record_id::text)) % 3 = 1 then ${older}::int else ${newer}::int end) * ${cellsPerSet} end`
    await sql`update signatures set cell = ${cells}`.execute(database.db)
    expect(await recall(search)).toBeGreaterThanOrEqual(0.98)
  })

  it('drop an older set only once no vector belongs to it', async () => {
    const [first = new Float32Array(), second = new Float32Array()] = centres
    const older = await insertSetOf(first, second)
    await sql`update signatures set cell = ${older * cellsPerSet}`.execute(database.db)
    const newer = await insertSetOf(second, first)
    await database.db.transaction().execute(async (tx) => {
      // Another transaction replaces this vector: it is skipped, and its set stays.
      await sql`select from signatures where record_id = ${idOf(7)}::uuid for update`.execute(tx)
      await createUpkeep().tidy(signal)
      expect(await readSets()).toEqual([older, newer])
    })
    await createUpkeep().tidy(signal)
    expect(await readSets()).toEqual([newer])
    expect((await readCells()).map(({ set_id: id }) => id)).toEqual([newer])
  })

  it('get every vector but one that fails, which is tried once and still found', async () => {
    const [first = new Float32Array(), second = new Float32Array()] = centres
    const older = await insertSetOf(first, second)
    await sql`update signatures set cell = ${older * cellsPerSet}`.execute(database.db)
    const newer = await insertSetOf(second, first)
    await failOnRow({ database }, { table: 'signatures', event: 'update', id: idOf(234) })
    const upkeep = createUpkeep()
    await upkeep.tidy(signal)
    await upkeep.tidy(signal)
    expect(await readCells()).toEqual([
      { set_id: older, count: 1 },
      { set_id: newer, count: size - 1 },
    ])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ record_id: idOf(234) }])
    expect(await recall(createSearch(everything))).toBeGreaterThanOrEqual(0.98)
    await stopFailing({ database }, 'signatures')
  })

  it('answer a filter that excludes everything near by a check of every record', async () => {
    await createUpkeep().tidy(signal)
    await createUpkeep().tidy(signal)
    const [question = new Float32Array(dimensions)] = questions
    const farthest = findNearest(question, placed, size)
      .slice(-4)
      .map(({ id }) => id)
    const conditions = [sql<SqlBool>`r.id = any(${farthest}::uuid[])`]
    expect((await find(createSearch(), question, conditions)).map(({ id }) => id)).toEqual(farthest)
  })

  it('leave a small scope to a scan of the scope', async () => {
    await createUpkeep().tidy(signal)
    const [question = new Float32Array(dimensions)] = questions
    const query = { model, vector: question, conditions: [], limit: 10 }
    const found = await createSearch().find({ ...query, scopes: ['elsewhere', unscoped] })
    expect(found).toEqual([])
  })

  it('are deleted with the last vector of a model that is no longer used', async () => {
    const [first = new Float32Array(), second = new Float32Array()] = centres
    await insertSetOf(first, second)
    await database.db.updateTable('embedding_models').set({ serves: false, embeds: false }).execute()
    await createUpkeep().tidy(signal)
    expect(await readSets()).toHaveLength(1)
    await database.db.deleteFrom('embeddings').execute()
    await createUpkeep().tidy(signal)
    expect(await readSets()).toEqual([])
  })
})
