import { afterEach, beforeEach, expect, it } from 'vitest'
import { combineAccesses } from '../../src/domain/access-weights.ts'
import { scoreImportance, sourceTrust } from '../../src/domain/importance.ts'
import { createAccessService, findLoggedAccesses, rescore } from '../../src/lifecycle/index.ts'
import { day, openWorkshop, type Workshop } from '../support/job-workers.ts'
import { livedBy, storeLives } from '../support/record-histories.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(() => shop.close())

async function store(workshop: Workshop, count = 300): Promise<string[]> {
  const lives = Array.from({ length: count }, (_, index) => livedBy(index))
  return storeLives(workshop.pool, lives, workshop.clock.now())
}

/** A store in which every score is exact. */
async function storeExact(workshop: Workshop, count = 300): Promise<string[]> {
  const ids = await store(workshop, count)
  await rescore(workshop.db, { ids, now: workshop.clock.now() })
  return ids
}

/** With where each row lies and who wrote it, which tells even of a write of the same. */
async function readRows({ pool }: Workshop) {
  const { rows } = await pool.query(
    `select r.xmin::text, r.xmax::text, r.ctid::text, r.*,
       (select count(*) from audit_entries as a where a.record_id = r.id) as entries,
       (select count(*) from importance_history as h where h.record_id = r.id) as moves
     from records as r order by r.id`,
  )
  return rows
}

async function readExact({ db, clock }: Workshop): Promise<Map<string, number>> {
  const now = clock.now()
  const scores = new Map<string, number>()
  for (const stored of await db.selectFrom('records').selectAll().execute()) {
    const accesses = combineAccesses(stored, await findLoggedAccesses(db, stored.id), now)
    const score = scoreImportance({
      ...{ accesses, base_importance: stored.base_importance, emotional_valence: stored.emotional_valence },
      age_days: Math.max(0, now.getTime() - stored.created_at.getTime()) / day,
      ...{ layer: stored.layer, source_trust: sourceTrust[stored.source_type] },
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

it('a refresh writes what is off by more than 0.01, says so in its history, and touches nothing else', async () => {
  await storeExact(shop)
  shop.clock.advance(9 * day)
  const before = await readRows(shop)
  const exact = await readExact(shop)
  const run = await shop.run('refresh_importance')
  const after = await readRows(shop)
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
  const told = await shop.db
    .selectFrom('importance_history')
    .where('run_id', '=', run.id)
    .selectAll()
    .execute()
  expect(told).toHaveLength(moved)
  for (const { old, new: score, at } of told) {
    expect(Math.abs(score - old)).toBeGreaterThan(0.01)
    expect(at).toEqual(shop.clock.now())
  }
})

it('a refresh of a store in which nothing moved writes nothing, not even a lock', async () => {
  await store(shop)
  await shop.run('refresh_importance')
  const before = await readRows(shop)
  const run = await shop.run('refresh_importance')
  expect(run.stats).toEqual({ refreshed: 0 })
  expect(await readRows(shop)).toEqual(before)
})

it('a refresh of no records ends', async () => {
  expect(await shop.run('refresh_importance')).toMatchObject({ status: 'succeeded', stats: { refreshed: 0 } })
})

it('a rehearsal counts what the run would move, and moves nothing', async () => {
  await store(shop)
  const before = await readRows(shop)
  const rehearsal = await shop.run('refresh_importance', { dryRun: true })
  const unlocked = ({ xmax: _, ...row }: Record<string, unknown>) => row
  expect((await readRows(shop)).map(unlocked)).toEqual(before.map(unlocked))
  const run = await shop.run('refresh_importance')
  expect(rehearsal.stats).toEqual(run.stats)
  expect(run.stats['refreshed']).toBeGreaterThan(200)
})

it('a refresh of one scope leaves the others', async () => {
  const [one = '', other = ''] = await store(shop, 2)
  await shop.db.updateTable('records').set({ scope: 'a' }).where('id', '=', one).execute()
  const run = await shop.run('refresh_importance', { scope: 'a' })
  expect(run).toMatchObject({ stats: { refreshed: 1 }, progress: { total: 1 } })
  const rows = new Map((await readRows(shop)).map((row) => [row.id, row.importance]))
  expect(rows.get(one)).not.toBe(0.5)
  expect(rows.get(other)).toBe(0.5)
})

it('what is pinned, forgotten or in use stays as it is', async () => {
  const [pinned = '', forgotten = '', used = '', plain = ''] = await store(shop, 4)
  await shop.db.updateTable('records').set({ pinned: true }).where('id', '=', pinned).execute()
  const gone = { forgotten_at: shop.clock.now(), forgotten_reason: 'deleted', forgotten_by: 'a' }
  await shop.db
    .updateTable('records')
    .set({ ...gone, purge_at: new Date('2100-01-01') })
    .where('id', '=', forgotten)
    .execute()
  const holder = await shop.pool.connect()
  await holder.query('begin')
  await holder.query(`select from records where id = '${used}' for update`)
  const run = await shop.run('refresh_importance')
  await holder.query('rollback')
  holder.release()
  expect(run.stats).toEqual({ refreshed: 1 })
  const kept = (await readRows(shop)).filter(({ importance }) => importance === 0.5).map(({ id }) => id)
  expect(kept.sort()).toEqual([pinned, forgotten, used].sort())
  expect(kept).not.toContain(plain)
  expect((await shop.run('refresh_importance')).stats).toEqual({ refreshed: 1 })
})

it('two workers at once move each record once', async () => {
  await store(shop)
  const id = await shop.ask('refresh_importance')
  const signal = new AbortController().signal
  await Promise.all(['one', 'two'].map((name) => shop.hire(name).attend('refresh_importance', signal)))
  const run = await shop.readRun(id)
  expect(run).toMatchObject({ status: 'succeeded', progress: { done: 300, total: 300 } })
  const rows = await readRows(shop)
  for (const { moves } of rows) expect(moves).toBeLessThanOrEqual(1)
  expect(rows.filter(({ moves }) => moves === 1)).toHaveLength(run.stats['refreshed'] ?? 0)
  const exact = await readExact(shop)
  for (const { id, importance } of rows) {
    expect(Math.abs(importance - (exact.get(id) ?? 0))).toBeLessThanOrEqual(0.01)
  }
})

it('one that is stopped anywhere is finished by the next', async () => {
  await store(shop)
  const id = await shop.ask('refresh_importance')
  const stop = new AbortController()
  let batches = 0
  const observe = (step: string) => void (step === 'after batch' && ++batches === 4 && stop.abort())
  await shop.hire('first', { observe }).attend('refresh_importance', stop.signal)
  expect((await shop.readRun(id)).status).not.toBe('succeeded')
  const half = (await readRows(shop)).filter(({ moves }) => moves > 0).length
  expect(half).toBeGreaterThan(0)
  await shop.hire('second').attend('refresh_importance', new AbortController().signal)
  const moves = (await readRows(shop)).map((row) => Number(row.moves))
  const moved = moves.filter((count) => count > 0).length
  expect(Math.max(...moves)).toBe(1)
  expect(moved).toBeGreaterThan(half)
  expect(await shop.readRun(id)).toMatchObject({ status: 'succeeded', stats: { refreshed: moved } })
})

it('a record that cannot be written is named, and stops none of the others', async () => {
  const ids = await store(shop)
  const bad = ids[150] ?? ''
  await shop.pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
     create trigger refused before update on records for each row when (new.id = '${bad}')
       execute function refuse()`,
  )
  const run = await shop.run('refresh_importance')
  expect(run.stats).toMatchObject({ failed: 1 })
  const changes = await shop.db.selectFrom('maintenance_changes').selectAll().execute()
  expect(changes).toMatchObject([{ record_id: bad, action: 'failed' }])
  const exact = await readExact(shop)
  for (const { id, importance } of await readRows(shop)) {
    if (id === bad) expect(importance).toBe(0.5)
    else expect(Math.abs(importance - (exact.get(id) ?? 0))).toBeLessThanOrEqual(0.01)
  }
})

it('uses and refreshes that race leave the exact score, and a history without gaps', async () => {
  const ids = await storeExact(shop, 60)
  const access = createAccessService({ db: shop.db, clock: shop.clock })
  const born = new Map((await readRows(shop)).map(({ id, importance }) => [id, importance]))
  const before = await shop.db.selectFrom('importance_history').select('id').execute()
  const faults: unknown[] = []
  for (let round = 0; round < 6; round++) {
    shop.clock.advance(4 * day)
    const refreshed = shop.run('refresh_importance')
    // In both orders, as two answers would have them.
    for (let time = 0; time < 5; time++)
      access.noteServed(time % 2 ? ids : [...ids].reverse(), 'agent', (_, error) => faults.push(error))
    await Promise.all([refreshed, access.settle()])
    await access.settle()
  }
  expect(faults).toEqual([])
  const last = Math.max(...before.map(({ id }) => id))
  const moves = await shop.db
    .selectFrom('importance_history')
    .where('id', '>', last)
    .selectAll()
    .orderBy('id')
    .execute()
  const scores = new Map(born)
  for (const { record_id: id, old, new: score } of moves) {
    expect(old).toBe(scores.get(id))
    scores.set(id, score)
  }
  const exact = await readExact(shop)
  for (const { id, importance, access_count } of await readRows(shop)) {
    expect(importance).toBe(scores.get(id))
    expect(Math.abs(importance - (exact.get(id) ?? 0))).toBeLessThanOrEqual(0.01)
    expect(access_count).toBeGreaterThanOrEqual(30)
  }
})
