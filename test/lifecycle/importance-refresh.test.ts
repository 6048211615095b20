import { beforeEach, expect, it } from 'vitest'
import { combineAccesses } from '../../src/domain/importance/access-weights.ts'
import { scoreImportance, sourceTrust } from '../../src/domain/importance/importance.ts'
import { findLoggedAccesses } from '../../src/lifecycle/importance/importance.queries.ts'
import { createAccessService, rescore } from '../../src/lifecycle/index.ts'
import { shareWorkerSetup } from '../support/apps/shared-store.ts'
import { buildSampleHistory, insertRecordHistories } from '../support/stores/record-histories.ts'
import { day } from '../support/workers/test-works.ts'
import type { WorkerSetup } from '../support/workers/worker-setup.ts'

const openSetup = shareWorkerSetup()
let setup: WorkerSetup
beforeEach(async () => {
  setup = await openSetup()
})

async function store(worker: WorkerSetup, count = 300): Promise<string[]> {
  const lives = Array.from({ length: count }, (_, index) => buildSampleHistory(index))
  return insertRecordHistories(worker.pool, lives, worker.clock.now())
}

/** Inserts records whose stored scores are exact. */
async function storeExact(worker: WorkerSetup, count = 300): Promise<string[]> {
  const ids = await store(worker, count)
  await worker.db.transaction().execute((tx) => rescore(tx, { ids, now: worker.clock.now() }))
  return ids
}

/** Also reads position and writer of each row, which reveals even a write of equal values. */
async function readRows({ pool }: WorkerSetup) {
  const { rows } = await pool.query(
    `select r.xmin::text, r.xmax::text, r.ctid::text, r.*,
       (select count(*) from audit_entries as a where a.record_id = r.id) as entries,
       (select count(*) from importance_history as h where h.record_id = r.id) as moves
     from records as r order by r.id`,
  )
  return rows
}

async function readExact({ db, clock }: WorkerSetup): Promise<Map<string, number>> {
  const now = clock.now()
  const scores = new Map<string, number>()
  for (const stored of await db.selectFrom('records').selectAll().execute()) {
    const accesses = combineAccesses(stored, await findLoggedAccesses(db, stored.id), now)
    const score = scoreImportance({
      accesses,
      base_importance: stored.base_importance,
      emotional_valence: stored.emotional_valence,
      age_days: Math.max(0, now.getTime() - stored.created_at.getTime()) / day,
      layer: stored.layer,
      source_trust: sourceTrust[stored.source_type],
      confirmations: stored.confirmation_count,
    })
    scores.set(stored.id, score)
  }
  return scores
}

const changing = (row: Record<string, unknown>) => {
  const { xmin: _, xmax: _locked, ctid: _place, importance: _score, moves: _moves, ...rest } = row
  return rest
}

it('an importance refresh writes scores that are off by more than 0.01, with a history entry, and nothing else', async () => {
  await storeExact(setup)
  setup.clock.advance(9 * day)
  const before = await readRows(setup)
  const exact = await readExact(setup)
  const run = await setup.run('refresh_importance')
  const after = await readRows(setup)
  let moved = 0
  for (const [index, row] of after.entries()) {
    const was = before[index]
    const isOff = Math.abs(was.importance - (exact.get(row.id) ?? 0)) > 0.01
    if (isOff) moved++
    expect(changing(row)).toEqual(changing(was))
    expect(row.importance).toBeCloseTo(isOff ? (exact.get(row.id) ?? 0) : was.importance, 12)
    expect(row.moves - was.moves).toBe(isOff ? 1 : 0)
    if (!isOff) expect(row).toEqual(was)
  }
  expect(moved).toBeGreaterThan(50)
  expect(moved).toBeLessThan(after.length)
  expect(run).toMatchObject({ status: 'succeeded', stats: { refreshed: moved } })
  expect(run.progress).toEqual({ done: 300, total: 300 })
  const entries = await setup.db
    .selectFrom('importance_history')
    .where('run_id', '=', run.id)
    .selectAll()
    .execute()
  expect(entries).toHaveLength(moved)
  for (const { old, new: score, at } of entries) {
    expect(Math.abs(score - old)).toBeGreaterThan(0.01)
    expect(at).toEqual(setup.clock.now())
  }
})

it('an importance refresh of an unchanged store writes nothing and takes no locks', async () => {
  await store(setup)
  await setup.run('refresh_importance')
  const before = await readRows(setup)
  const run = await setup.run('refresh_importance')
  expect(run.stats).toEqual({ refreshed: 0 })
  expect(await readRows(setup)).toEqual(before)
})

it('an importance refresh without records succeeds', async () => {
  expect(await setup.run('refresh_importance')).toMatchObject({
    status: 'succeeded',
    stats: { refreshed: 0 },
  })
})

it('an importance refresh reports in a dry run what it would change', async () => {
  await store(setup)
  const before = await readRows(setup)
  const rehearsal = await setup.run('refresh_importance', { dryRun: true })
  const unlocked = ({ xmax: _, ...row }: Record<string, unknown>) => row
  expect((await readRows(setup)).map(unlocked)).toEqual(before.map(unlocked))
  const run = await setup.run('refresh_importance')
  expect(rehearsal.stats).toEqual(run.stats)
  expect(run.stats['refreshed']).toBeGreaterThan(200)
})

it('an importance refresh of one scope leaves the others alone', async () => {
  const [one = '', other = ''] = await store(setup, 2)
  await setup.db.updateTable('records').set({ scope: 'a' }).where('id', '=', one).execute()
  const run = await setup.run('refresh_importance', { scope: 'a' })
  expect(run).toMatchObject({ stats: { refreshed: 1 }, progress: { total: 1 } })
  const rows = new Map((await readRows(setup)).map((row) => [row.id, row.importance]))
  expect(rows.get(one)).not.toBe(0.5)
  expect(rows.get(other)).toBe(0.5)
})

it('an importance refresh skips pinned, forgotten and locked records', async () => {
  const [pinned = '', forgotten = '', used = '', plain = ''] = await store(setup, 4)
  await setup.db.updateTable('records').set({ pinned: true }).where('id', '=', pinned).execute()
  const gone = { forgotten_at: setup.clock.now(), forgotten_reason: 'deleted', forgotten_by: 'a' }
  await setup.db
    .updateTable('records')
    .set({ ...gone, purge_at: new Date('2100-01-01') })
    .where('id', '=', forgotten)
    .execute()
  const holder = await setup.pool.connect()
  await holder.query('begin')
  await holder.query(`select from records where id = '${used}' for update`)
  const run = await setup.run('refresh_importance')
  await holder.query('rollback')
  holder.release()
  expect(run.stats).toEqual({ refreshed: 1 })
  const kept = (await readRows(setup)).filter(({ importance }) => importance === 0.5).map(({ id }) => id)
  expect(kept.sort()).toEqual([pinned, forgotten, used].sort())
  expect(kept).not.toContain(plain)
  expect((await setup.run('refresh_importance')).stats).toEqual({ refreshed: 1 })
})

it('an importance refresh by two workers changes each record once', async () => {
  await store(setup)
  const id = await setup.requestRun('refresh_importance')
  const signal = new AbortController().signal
  await Promise.all(
    ['one', 'two'].map((name) => setup.createWorker(name).runJob('refresh_importance', signal)),
  )
  const run = await setup.readRun(id)
  // A row that one worker writes moves to another page, where the other worker can examine it once more.
  expect(run).toMatchObject({ status: 'succeeded', progress: { done: 300, total: 300 } })
  const rows = await readRows(setup)
  for (const { moves } of rows) expect(moves).toBeLessThanOrEqual(1)
  expect(rows.filter(({ moves }) => moves === 1)).toHaveLength(run.stats['refreshed'] ?? 0)
  const exact = await readExact(setup)
  for (const { id, importance } of rows) {
    expect(Math.abs(importance - (exact.get(id) ?? 0))).toBeLessThanOrEqual(0.01)
  }
})

it('an importance refresh that is stopped is finished by the next worker', async () => {
  await store(setup)
  const id = await setup.requestRun('refresh_importance')
  const stop = new AbortController()
  let batches = 0
  const observe = (step: string) => void (step === 'after batch' && ++batches === 4 && stop.abort())
  await setup.createWorker('first', { observe }).runJob('refresh_importance', stop.signal)
  expect((await setup.readRun(id)).status).not.toBe('succeeded')
  const half = (await readRows(setup)).filter(({ moves }) => moves > 0).length
  expect(half).toBeGreaterThan(0)
  await setup.createWorker('second').runJob('refresh_importance', new AbortController().signal)
  const moves = (await readRows(setup)).map((row) => Number(row.moves))
  const moved = moves.filter((count) => count > 0).length
  expect(Math.max(...moves)).toBe(1)
  expect(moved).toBeGreaterThan(half)
  expect(await setup.readRun(id)).toMatchObject({ status: 'succeeded', stats: { refreshed: moved } })
})

it('an importance refresh names a record that it cannot write and updates the others', async () => {
  const ids = await store(setup)
  const bad = ids[150] ?? ''
  await setup.pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
     create trigger refused before update on records for each row when (new.id = '${bad}')
       execute function refuse()`,
  )
  const run = await setup.run('refresh_importance')
  expect(run.stats).toMatchObject({ failed: 1 })
  const changes = await setup.db.selectFrom('maintenance_changes').selectAll().execute()
  expect(changes).toMatchObject([{ record_id: bad, action: 'failed' }])
  const exact = await readExact(setup)
  for (const { id, importance } of await readRows(setup)) {
    if (id === bad) expect(importance).toBe(0.5)
    else expect(Math.abs(importance - (exact.get(id) ?? 0))).toBeLessThanOrEqual(0.01)
  }
})

it('accesses during an importance refresh leave the exact score and a history without gaps', async () => {
  const ids = await storeExact(setup, 60)
  const access = createAccessService({ db: setup.db, clock: setup.clock })
  const initialScores = new Map((await readRows(setup)).map(({ id, importance }) => [id, importance]))
  const before = await setup.db.selectFrom('importance_history').select('id').execute()
  const faults: unknown[] = []
  for (let round = 0; round < 3; round++) {
    setup.clock.advance(4 * day)
    const refreshed = setup.run('refresh_importance')
    // In both orders, as two concurrent requests could use them.
    for (let time = 0; time < 5; time++)
      access.noteServed(
        time % 2 ? ids : [...ids].reverse(),
        { key_id: `key ${time}`, actor: 'agent' },
        (_, error) => faults.push(error),
      )
    await Promise.all([refreshed, access.flush()])
    await access.flush()
  }
  expect(faults).toEqual([])
  const last = Math.max(...before.map(({ id }) => id))
  const moves = await setup.db
    .selectFrom('importance_history')
    .where('id', '>', last)
    .selectAll()
    .orderBy('id')
    .execute()
  const scores = new Map(initialScores)
  for (const { record_id: id, old, new: score } of moves) {
    expect(old).toBe(scores.get(id))
    scores.set(id, score)
  }
  const exact = await readExact(setup)
  for (const { id, importance, access_count } of await readRows(setup)) {
    expect(importance).toBe(scores.get(id))
    expect(Math.abs(importance - (exact.get(id) ?? 0))).toBeLessThanOrEqual(0.01)
    expect(access_count).toBeGreaterThanOrEqual(15)
  }
})
