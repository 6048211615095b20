import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { noteAccesses } from '../../src/cognition/access/queries.ts'
import type { Layer } from '../../src/cognition/importance.ts'
import { weigh } from '../../src/records/index.ts'
import { type Life, storeLives } from '../support/lives.ts'
import { launch, until } from '../support/processes.ts'
import { day, openWorkshop, type Workshop } from '../support/workshop.ts'

const program = fileURLToPath(new URL('doomed-worker.ts', import.meta.url))
const hour = 3_600_000

const life = (layer: Layer, age_ms: number, more: Partial<Life> = {}): Life => ({
  ...{ age_ms, layer, base_importance: 0.5, emotional_valence: 0, source_type: 'ingest', confirmations: 0 },
  ...{ accesses: [], unlogged: 0, folded_days: 0 },
  ...more,
})
const used = (times: number, age_ms: number) =>
  Array.from({ length: times }, () => ({ age_ms, kind: 'used' as const }))
/** It matters, and was used a moment ago. */
const known = (): Life =>
  life('episodic', 2 * day, { base_importance: 1, emotional_valence: 1, accesses: used(6, hour) })

async function open(): Promise<Workshop> {
  const shop = await openWorkshop()
  onTestFinished(shop.close)
  return shop
}

const populate = (shop: Workshop, count: number): Promise<string[]> => {
  const kinds = [
    life('working', hour),
    life('working', 100 * day),
    life('episodic', 100 * day),
    known(),
    life('episodic', 40 * day),
    life('semantic', 400 * day),
  ]
  const lives = Array.from({ length: count }, (_, n) => kinds[n % kinds.length] ?? known())
  return storeLives(shop.pool, lives, shop.clock.now())
}

/** Of the first six of a population. */
const comesTo = [
  { layer: 'episodic', reason: null },
  { layer: 'episodic', reason: 'archived' },
  { layer: 'episodic', reason: 'archived' },
  { layer: 'semantic', reason: null },
  { layer: 'episodic', reason: null },
  { layer: 'semantic', reason: null },
]

async function readFates({ pool }: Workshop, ids: readonly string[]) {
  const { rows } = await pool.query(
    `select r.id, r.layer, r.forgotten_reason as reason, r.forgotten_by, r.purge_at, r.version,
       (select coalesce(json_agg(json_build_array(a.action, a.changes -> 'layer') order by a.id), '[]')
        from audit_entries as a where a.record_id = r.id) as audit
     from records as r`,
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id))
}

async function readAll({ pool }: Workshop): Promise<unknown> {
  const tables = ['records', 'audit_entries', 'importance_history', 'access_log']
  const read = tables.map((name) => pool.query(`select to_json(t) as row from ${name} as t order by t::text`))
  return (await Promise.all(read)).map(({ rows }) => rows)
}

async function readChanges({ pool }: Workshop, runId: string) {
  const { rows } = await pool.query(
    `select record_id, action, before, after from maintenance_changes where run_id = $1 order by record_id, action`,
    [runId],
  )
  return rows
}

describe('a dream that forgets', () => {
  it('raises what has come far enough and puts away what is hardly anything, each once', async () => {
    const shop = await open()
    const ids = await populate(shop, 120)
    const run = await shop.run('dream')
    expect(run).toMatchObject({
      ...{ status: 'succeeded' },
      stats: { promoted_episodic: 40, promoted_semantic: 20, archived: 40 },
    })
    const fates = await readFates(shop, ids)
    for (const [n, fate] of fates.entries()) expect(fate).toMatchObject(comesTo[n % 6] ?? {})
    expect(fates[1]).toMatchObject({
      ...{ forgotten_by: 'dream/forget', version: 2 },
      purge_at: new Date(shop.clock.now().getTime() + 30 * day),
      audit: [
        ['promote', ['working', 'episodic']],
        ['archive', null],
      ],
    })
    expect(run.progress.done).toBeGreaterThanOrEqual(100)

    const before = await readAll(shop)
    const again = await shop.run('dream')
    expect(again.stats).toMatchObject({ promoted_episodic: 0, promoted_semantic: 0, archived: 0 })
    expect(await readAll(shop)).toEqual(before)
  })

  it('tells of each what decided, in its log and in the changes of the run', async () => {
    const shop = await open()
    const [id = ''] = await storeLives(shop.pool, [life('episodic', 100 * day)], shop.clock.now())
    const run = await shop.run('dream')
    const [change] = (await readChanges(shop, run.id)).filter(({ action }) => action === 'archive')
    expect(change).toMatchObject({
      ...{ record_id: id, action: 'archive' },
      before: { retention: 0, accesses: 0, age_days: 100 },
      after: { forgotten_at: shop.clock.now().toISOString() },
    })
    expect(change.before.importance).toBeGreaterThan(0.2)
    expect(change.before.importance).toBeLessThan(0.3)
    const { rows } = await shop.pool.query(`select * from audit_entries where record_id = $1`, [id])
    expect(rows).toMatchObject([
      { action: 'archive', actor: 'dream/forget', run_id: run.id, at: shop.clock.now() },
    ])
    expect(rows[0].changes.forgotten[1]).toMatchObject({
      ...{ reason: 'archived', actor: 'dream/forget', retention: 0, accesses: 0, age_days: 100 },
      importance: change.before.importance,
    })
  })

  const exempt: [string, Partial<Life>, string][] = [
    ['is pinned', {}, `pinned = true`],
    ['is kept until somebody deletes it', {}, `deletion_policy = 'manual_only'`],
    ['is never to be deleted', {}, `deletion_policy = 'never'`],
    ['was withdrawn', {}, `status = 'invalidated'`],
    ['never fades', { layer: 'codebase' }, `version = 1`],
    ['is 90 days old and no more', { age_ms: 90 * day }, `version = 1`],
    ['matters', { base_importance: 0.9 }, `version = 1`],
    ['was used three times', { accesses: used(3, 99 * day) }, `version = 1`],
    ['was used a week ago', { accesses: used(1, 7 * day) }, `version = 1`],
  ]
  it.each(exempt)('leaves what %s', async (_, more, change) => {
    const shop = await open()
    const [id = '', twin = ''] = await storeLives(
      shop.pool,
      [life('episodic', 100 * day, more), life('episodic', 100 * day)],
      shop.clock.now(),
    )
    await shop.pool.query(`update records set ${change} where id = $1`, [id])
    await shop.run('dream')
    const [left, gone] = await readFates(shop, [id, twin])
    expect(left).toMatchObject({ reason: null, audit: [] })
    expect(gone).toMatchObject({ reason: 'archived' })
  })

  it('keeps to the scope it is asked for', async () => {
    const shop = await open()
    const ids = await populate(shop, 12)
    await shop.pool.query(`update records set scope = 'team' where id = any($1)`, [ids.slice(0, 6)])
    const run = await shop.run('dream', { scope: 'team' })
    expect(run.stats).toMatchObject({ promoted_episodic: 2, promoted_semantic: 1, archived: 2 })
    const fates = await readFates(shop, ids)
    for (const [n, fate] of fates.slice(0, 6).entries()) expect(fate).toMatchObject(comesTo[n] ?? {})
    for (const fate of fates.slice(6)) expect(fate).toMatchObject({ reason: null, version: 1 })
  })

  it('in a dry run changes nothing, and tells what it would', async () => {
    const shop = await open()
    await populate(shop, 90)
    // As working memory it is worth little enough to go; as what it first becomes it is not.
    const spared = life('working', 100 * day, { base_importance: 0.6, source_type: 'ingest' })
    const [borderline] = await storeLives(shop.pool, [spared], shop.clock.now())
    const before = await readAll(shop)
    const rehearsed = await shop.run('dream', { dryRun: true })
    expect(await readAll(shop)).toEqual(before)
    const run = await shop.run('dream')
    // A rehearsal weighs what there is: of what it raised and put away, too, it has taken everything back.
    const { forget_ms: _, refreshed: _refreshed, ...stats } = run.stats
    expect(rehearsed.stats).toMatchObject(stats)
    const told = await readChanges(shop, rehearsed.id)
    expect(told).toEqual(await readChanges(shop, run.id))
    expect(told.length).toBe(75 + 1)
    expect(told.filter(({ record_id }) => record_id === borderline)).toMatchObject([{ action: 'promote' }])
  })

  it('passes over what another transaction holds, and comes back for it', async () => {
    const shop = await open()
    const ids = await populate(shop, 6)
    const client = await shop.pool.connect()
    await client.query('begin')
    await client.query('select from records where id = $1 for update', [ids[2]])
    expect((await shop.run('dream')).stats).toMatchObject({ archived: 1 })
    await client.query('rollback')
    client.release()
    expect((await shop.run('dream')).stats).toMatchObject({ archived: 1 })
    expect((await readFates(shop, ids))[2]).toMatchObject({ reason: 'archived' })
  })
})

describe('many at once', () => {
  it('raise and put away each record once', async () => {
    const shop = await open()
    const ids = await populate(shop, 120)
    await shop.ask('dream')
    await shop.ask('dream')
    await shop.ask('decay')
    const attend = (job: 'dream' | 'decay') =>
      shop.hire(`w${Math.random()}`).attend(job, new AbortController().signal)
    const risingByUse = ids.filter((_, n) => n % 6 === 0)
    const weighing = shop.db.transaction().execute(async (tx) => {
      const at = shop.clock.now()
      await noteAccesses(
        tx,
        risingByUse.map((record_id) => ({ record_id, at, kind: 'used', actor: 'test' })),
      )
      await weigh(tx, { ids: risingByUse, now: at })
    })
    await Promise.all([attend('dream'), attend('dream'), attend('decay'), attend('decay'), weighing])
    await shop.run('dream')
    for (const [n, fate] of (await readFates(shop, ids)).entries()) {
      expect(fate).toMatchObject(comesTo[n % 6] ?? {})
      const actions = fate.audit.map(String)
      expect(new Set(actions).size).toBe(actions.length)
      expect(fate.version).toBe(1 + fate.audit.filter(([action]: string[]) => action === 'promote').length)
    }
  })
})

describe('a worker that dies in a dream', () => {
  async function killAt(shop: Workshop, step: string, nth: number): Promise<void> {
    const doomed = launch([program, shop.url, shop.clock.now().toISOString(), step, String(nth)])
    expect(await doomed.ended, doomed.output()).toEqual({ code: null, signal: 'SIGKILL' })
    await until('its sessions to end', async () => {
      const { rowCount } = await shop.pool.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'doomed'`,
      )
      return rowCount === 0
    })
    shop.clock.advance(31_000)
  }

  it.each([
    { step: 'before batch', nth: 2 },
    { step: 'in batch', nth: 1 },
    { step: 'after batch', nth: 3 },
    { step: 'in batch', nth: 6 },
    { step: 'concluding', nth: 1 },
  ])('$step $nth leaves nothing that the next does not finish', async ({ step, nth }) => {
    const shop = await open()
    const ids = await populate(shop, 120)
    const id = await shop.ask('dream')
    await killAt(shop, step, nth)
    await shop.hire('successor').attend('dream', new AbortController().signal)
    const { status, attempts, stats } = await shop.readRun(id)
    expect({ status, attempts }).toEqual({ status: 'succeeded', attempts: 2 })
    expect(stats).toMatchObject({ promoted_episodic: 40, promoted_semantic: 20, archived: 40 })
    const fates = await readFates(shop, ids)
    for (const [n, fate] of fates.entries()) {
      expect(fate).toMatchObject(comesTo[n % 6] ?? {})
      expect(new Set(fate.audit.map(String)).size).toBe(fate.audit.length)
    }
    expect((await readChanges(shop, id)).filter(({ action }) => action === 'archive')).toHaveLength(40)
  })
})
