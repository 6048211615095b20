import { type SqlBool, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTo } from '../../src/db/fragments/visibility.ts'
import { transact } from '../../src/db/transaction.ts'
import { encode } from '../../src/domain/vectors/vector-codes.ts'
import { createCellCache } from '../../src/embeddings/cells/cell-cache.service.ts'
import { createCellUpkeep } from '../../src/embeddings/cells/cell-upkeep.service.ts'
import { createVectorMemory } from '../../src/embeddings/memory/vector-memory.service.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createTestClock } from '../support/clock.ts'
import { createVectorProcesses } from '../support/processes/vector-processes.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { insertEmbeddingModel, insertVectors } from '../support/stores/insert-vectors.ts'
import { insertWorkingRecords } from '../support/stores/insert-working.ts'
import {
  around,
  dimensions,
  idsOf,
  nearestTo,
  placed,
  question,
  questions,
  size,
} from '../support/stores/planted-vectors.ts'
import { idOf } from '../support/texts/numbered-ids.ts'

let model: { id: number; dimensions: number }

const database = await openTestDatabase()
beforeAll(async () => {
  await insertWorkingRecords(
    database.db,
    placed.map(({ id }) => id),
    (at) => (at % 3 === 0 ? 'high' : 'low'),
  )
  model = { id: await insertEmbeddingModel(database.db, dimensions), dimensions }
  await insertVectors(database.db, model.id, placed)
})
afterAll(() => database.close())

const { openProcess, openLoaded, recallOf } = createVectorProcesses(() => ({ db: database.db, model }))

describe('vectors in memory', () => {
  it('are those of an exact comparison, with similarities to a hundredth', async () => {
    const find = await openLoaded()
    for (const vector of questions) {
      const exact = nearestTo(vector, 30)
      const found = (await find(vector, { conditions: [], limit: 30 })) ?? []
      const similarities = new Map(nearestTo(vector, size).map(({ id, similarity }) => [id, similarity]))
      expect(found.filter(({ id }) => exact.some((one) => one.id === id)).length).toBeGreaterThanOrEqual(28)
      for (const { id, similarity } of found) expect(similarity).toBeCloseTo(similarities.get(id) ?? 2, 1)
      expect(found).toEqual([...found].sort((one, other) => other.similarity - one.similarity))
    }
  })

  it('are as many as requested, even if most records do not meet the conditions', async () => {
    const find = await openLoaded()
    for (const limit of [1, 100, 700])
      expect(await find(question, { conditions: [], limit })).toHaveLength(limit)
    const seen = placed.filter((_, at) => at % 3 !== 0)
    const conditions = [openTo({ maxSensitivity: 'low', scopes: ['team'] })]
    expect((await find(question, { conditions, limit: 900 }))?.length).toBe(900)
    expect(idsOf(await find(question, { conditions, limit: 5 }))).toEqual(idsOf(nearestTo(question, 5, seen)))
    const farthest = nearestTo(question, size).slice(-3)
    const ids = farthest.map(({ id }) => id)
    const among = { conditions: [sql<SqlBool>`r.id = any(${ids}::uuid[])`], limit: 10 }
    expect(idsOf(await find(question, among))?.sort()).toEqual(idsOf(farthest)?.sort())
  })

  it('are read by the database until they are loaded, and where there is no room', async () => {
    const { find, findInMemory, load } = openProcess()
    expect(idsOf(await find(question))).toEqual(idsOf(nearestTo(question, 10)))
    await load()
    expect(idsOf(await findInMemory(question))).toEqual(idsOf(nearestTo(question, 10)))
    const small = openProcess(createVectorMemory({ maxBytes: 100_000 }))
    await small.load()
    expect(await small.findInMemory(question)).toBeUndefined()
    expect(idsOf(await small.find(question))).toEqual(idsOf(nearestTo(question, 10)))
  })
})

describe('vectors that change after they were loaded', () => {
  const added = Array.from({ length: 4 }, (_, at) => ({ id: idOf(size + at + 1), vector: question }))
  const opposite = question.map((value) => -value)
  const turn = (id = '') =>
    sql`update embeddings set code = ${encode(opposite, 32)} where record_id = ${id}`.execute(database.db)
  beforeEach(async () => {
    for (const { id } of added) await database.db.deleteFrom('records').where('id', '=', id).execute()
    await insertWorkingRecords(database.db, idsOf(added) ?? [])
  })

  it('are found when they are new, and no longer when they or their records are gone', async () => {
    const find = await openLoaded()
    await find(question)
    await insertVectors(database.db, model.id, added)
    for (const found of await Promise.all([find(question), find(question)]))
      expect(idsOf(found)?.slice(0, 4)).toEqual(idsOf(added))
    const [first, second] = added
    await sql`delete from embeddings where record_id = ${first?.id}::uuid`.execute(database.db)
    await database.db
      .deleteFrom('records')
      .where('id', '=', second?.id ?? '')
      .execute()
    expect(idsOf(await find(question))?.slice(0, 3)).toEqual([
      ...(idsOf(added.slice(2)) ?? []),
      nearestTo(question, 1)[0]?.id,
    ])
  })

  it('are compared as they are now', async () => {
    const find = await openLoaded()
    await insertVectors(database.db, model.id, added.slice(0, 1))
    expect(idsOf(await find(question))?.[0]).toBe(added[0]?.id)
    await turn(added[0]?.id)
    expect(idsOf(await find(question))).toEqual(idsOf(nearestTo(question, 10)))
    expect(idsOf(await find(opposite))?.[0]).toBe(added[0]?.id)
  })

  it('are found when their transaction began before the loading and ended after it', async () => {
    const { promise: hasLoaded, resolve } = Promise.withResolvers<void>()
    const { promise: hasWritten, resolve: write } = Promise.withResolvers<void>()
    const writing = transact(database.db, {}, async (tx) => {
      await insertVectors(tx, model.id, added)
      write()
      await hasLoaded
    })
    await hasWritten
    const find = await openLoaded()
    expect(idsOf(await find(question))).toEqual(idsOf(nearestTo(question, 10)))
    resolve()
    await writing
    expect(idsOf(await find(question))?.slice(0, 4)).toEqual(idsOf(added))
  })

  it('are found in a store that came with a dump of a server with higher transactions', async () => {
    await insertVectors(database.db, model.id, added.slice(0, 1))
    await transact(database.db, {}, async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`update embeddings set changed = '4000000000000'`.execute(tx)
    })
    const find = await openLoaded()
    expect(idsOf(await find(question))?.[0]).toBe(added[0]?.id)
    await insertVectors(database.db, model.id, added.slice(1))
    await turn(added[0]?.id)
    expect(idsOf(await find(question))?.slice(0, 3)).toEqual(idsOf(added.slice(1)))
    expect(idsOf(await find(opposite))?.[0]).toBe(added[0]?.id)
  })

  it('are found where more of them came than one answer may hold, which is not read again within a minute', async () => {
    const time = { now: 0 }
    const memory = createVectorMemory({ maxBytes: 4_000_000, now: () => time.now })
    const { find, findInMemory, load } = openProcess(memory)
    await load()
    await sql`update embeddings set bits = bits`.execute(database.db)
    const many = Array.from({ length: 600 }, (_, at) => ({ id: idOf(10_000 + at), vector: around(at) }))
    await insertWorkingRecords(database.db, idsOf(many) ?? [])
    await insertVectors(database.db, model.id, [...added, ...many])
    expect(await findInMemory(question)).toBeUndefined()
    expect(idsOf(await find(question))?.slice(0, 4)).toEqual(idsOf(added))
    await load()
    expect(await findInMemory(question)).toBeUndefined()
    time.now += 60_000
    await load()
    expect(idsOf(await findInMemory(question))?.slice(0, 4)).toEqual(idsOf(added))
    await database.db
      .deleteFrom('records')
      .where('id', 'in', idsOf(many) ?? [])
      .execute()
  })
})

describe('the memory for vectors', () => {
  it('is given back ten minutes after the last question, and loaded again', async () => {
    const time = { now: 0 }
    const due: (() => void)[] = []
    const memory = createVectorMemory({
      maxBytes: 260_000,
      now: () => time.now,
      later: (run) => void due.push(run),
    })
    const one = openProcess(memory)
    const other = openProcess(memory)
    await one.load()
    await other.load()
    expect(await one.findInMemory(question)).toHaveLength(10)
    expect(await other.findInMemory(question)).toBeUndefined()
    time.now += 10 * 60_000
    for (const run of due.splice(0)) run()
    await other.load()
    expect(await other.findInMemory(question)).toHaveLength(10)
    expect(await one.findInMemory(question)).toBeUndefined()
  })

  it('answers while it is renewed', async () => {
    const time = { now: 0 }
    const process = openProcess(createVectorMemory({ maxBytes: 4_000_000, now: () => time.now }))
    await process.load()
    const [nearest] = (await process.findInMemory(question)) ?? []
    const gone = {
      id: nearest?.id ?? '',
      vector: placed.find(({ id }) => id === nearest?.id)?.vector ?? question,
    }
    await database.db.deleteFrom('embeddings').where('record_id', '=', gone.id).execute()
    for (let renewed = 0; renewed < 3; renewed++) {
      time.now += 10 * 60_000
      const found = await process.findInMemory(question)
      expect(found).toHaveLength(10)
      expect(found?.map(({ id }) => id)).not.toContain(gone.id)
      await process.load()
    }
    await insertVectors(database.db, model.id, [gone])
    expect((await process.findInMemory(question))?.[0]?.id).toBe(gone.id)
  })

  it('compares the vectors of the nearest cells, and those of no cell', async () => {
    const log = createLogger({ level: 'silent', clock: createTestClock(), write: () => {} })
    const upkeep = createCellUpkeep({ db: database.db, log, cache: createCellCache(), least: size })
    await upkeep.tidy(new AbortController().signal)
    const find = await openLoaded(createVectorMemory({ maxBytes: 4_000_000, maxCompared: 1_000 }))
    expect(await recallOf(find)).toBeGreaterThanOrEqual(0.95)
    expect(await recallOf(find)).toBeLessThan(1)
  })

  it('holds vectors of every precision', async () => {
    const precisions = [32, 8, 4, 2] as const
    const rounded = placed.map(({ id, vector }, at) => ({ id, vector, bits: precisions[at % 4] ?? 32 }))
    await database.db.deleteFrom('embeddings').execute()
    await insertVectors(database.db, model.id, rounded)
    expect(await recallOf(await openLoaded())).toBeGreaterThanOrEqual(0.6)
  })
})
