import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { computeImportance, createAccessService, foldAccesses } from '../../src/lifecycle/index.ts'
import { countRuns } from '../support/long-run.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { insertRecordHistories, type RecordHistory } from '../support/stores/record-histories.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

const day = 86_400_000
const now = new Date('2026-03-01T12:34:56.789Z')
const before = new Date(now.getTime() - 90 * day)

const used = (ages: readonly number[]): RecordHistory['accesses'] =>
  ages.map((age, index) => ({ age_ms: age, kind: index % 3 ? 'used' : 'served' }))

function historyWith(accesses: RecordHistory['accesses'], ageDays = 400): RecordHistory {
  return {
    age_ms: ageDays * day,
    base_importance: 0.5,
    emotional_valence: 0,
    layer: 'episodic',
    source_type: 'ai',
    confirmations: 0,
    accesses,
    unlogged: 0,
    folded_days: 0,
  }
}

async function readScores() {
  const { join, importance } = computeImportance(now)
  const { rows } = await sql<{ id: string; score: number; days: number }>`
    select r.id, ${importance} as score, used.days from records as r ${join} order by r.id
  `.execute(database.db)
  return rows
}

async function foldAll(limit = 1_000): Promise<number> {
  let [total, after]: [number, string | undefined] = [0, undefined]
  do {
    const outcome = await database.db
      .transaction()
      .execute((tx) => foldAccesses(tx, { before, limit, ...(after === undefined ? {} : { after }) }))
    total += outcome.folded
    after = outcome.after
  } while (after !== undefined)
  return total
}

const countLogged = async () =>
  (await database.pool.query('select count(*)::int as count from access_log')).rows[0].count as number

it('folding removes old accesses of much used records and leaves every importance unchanged', async () => {
  const ages = fc.array(fc.integer({ min: -day, max: 450 * day }), { maxLength: 150 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(ages, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 60 }),
      async (input, limit) => {
        await database.pool.query('truncate records cascade')
        await insertRecordHistories(
          database.pool,
          input.map((each) => historyWith(used(each))),
          now,
        )
        const scores = await readScores()
        const logged = await countLogged()
        const folded = await foldAll(limit)
        expect(await countLogged()).toBe(logged - folded)
        expect(await readScores()).toEqual(scores)
        expect(await foldAll()).toBe(0)
      },
    ),
    { numRuns: countRuns(40) },
  )
})

it('folding keeps the newest 32 accesses of a record and those younger than the limit', async () => {
  const daily = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => (from + n) * day + 1)
  await insertRecordHistories(
    database.pool,
    [
      historyWith(used(daily(200, 232))),
      historyWith(used(daily(200, 233))),
      historyWith(used([...daily(0, 90), ...daily(100, 110)])),
      historyWith(used(daily(0, 89)), 89),
    ],
    now,
  )
  expect(await foldAll()).toBe(1 + 10)
  const { rows } = await database.pool.query('select days from access_folds order by days')
  expect(rows).toEqual([{ days: 1 }, { days: 10 }])
})

it('folding counts a day once, however many batches its accesses take', async () => {
  const lastYear = Array.from({ length: 300 }, (_, n) => 200 * day + n * 60_000)
  await insertRecordHistories(database.pool, [historyWith(used(lastYear))], now)
  const scores = await readScores()
  for (const limit of [100, 100, 67]) {
    await database.db.transaction().execute((tx) => foldAccesses(tx, { before, limit }))
    expect(await readScores()).toEqual(scores)
  }
  expect(await countLogged()).toBe(33)
  expect(await foldAll()).toBe(1)
  expect(await readScores()).toEqual(scores)
})

it('folding by concurrent workers during new accesses counts every day exactly once', async () => {
  const ages = Array.from({ length: 140 }, (_, n) => (60 + n) * day)
  const ids = await insertRecordHistories(
    database.pool,
    Array.from({ length: 40 }, () => historyWith(used(ages))),
    now,
  )
  const access = createAccessService({ db: database.db, clock: { now: () => now } })
  const faults: unknown[] = []
  for (let time = 0; time < 3; time++)
    access.noteServed(ids, { key_id: `key ${time}`, actor: 'agent' }, (_, error) => faults.push(error))
  await Promise.all([foldAll(97), foldAll(103), foldAll(1_000), access.flush()])
  await foldAll()
  expect(faults).toEqual([])
  // Three new ones and those of 31 unfinished days: more than the newest 32.
  expect(await countLogged()).toBe(40 * 34)
  for (const { days } of await readScores()) expect(days).toBe(141)
})
