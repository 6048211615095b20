import { beforeEach, describe, expect, it } from 'vitest'
import { computeSalience } from '../../src/domain/lifecycle/curves.ts'
import { sweepLagMs } from '../../src/domain/lifecycle/sweep-lag.ts'
import { shareWorkerSetup } from '../support/apps/shared-store.ts'
import { insertFadingRecords, readState } from '../support/stores/fading-records.ts'
import { day, retention } from '../support/workers/test-works.ts'
import type { WorkerSetup } from '../support/workers/worker-setup.ts'

const hour = 3_600_000

const openSetup = shareWorkerSetup()
let setup: WorkerSetup
beforeEach(async () => {
  setup = await openSetup()
})

async function readSaliences() {
  return setup.db
    .selectFrom('records')
    .select(['id', 'curve', 'half_life_seconds', 'min_salience', 'base_salience', 'anchored_at'])
    .select(['expires_at', 'pinned', 'salience', 'decay_rank', 'forgotten_at', 'version', 'updated_at'])
    .execute()
}

type SalienceRow = Awaited<ReturnType<typeof readSaliences>>[number]

/** A value is rewritten when it was wrong enough and nothing else fixes its order, and left alone otherwise. */
function expectStored(life: SalienceRow, before: number, asOf: Date): void {
  const exact = computeSalience(life, asOf)
  const isOff = before - exact > Math.max(0.01 * before, 0.001) + 1e-9
  if (isOff && life.decay_rank === null) expect(life.salience).toBeCloseTo(exact, 9)
  else expect(life.salience).toBe(before)
}

describe('the stored salience after a decay sweep', () => {
  it('is updated exactly where it was off by more than one percent and 0.001', async () => {
    const createdAt = setup.clock.now()
    await insertFadingRecords(setup, { count: 300, createdAt })
    for (const hours of [0.3, 1, 5, 12, 20]) {
      setup.clock.advance(hours * hour)
      const asOf = new Date(setup.clock.now().getTime() - sweepLagMs)
      const before = new Map((await readSaliences()).map((life) => [life.id, life]))
      await setup.run('decay')
      for (const life of await readSaliences()) {
        expect(life).toMatchObject({ version: 1, updated_at: createdAt })
        if (!life.forgotten_at) expectStored(life, before.get(life.id)?.salience ?? 0, asOf)
      }
    }
  })

  it('is updated although other transactions add rows that reference the records', async () => {
    await insertFadingRecords(setup, { count: 100, createdAt: setup.clock.now() })
    setup.clock.advance(12 * hour)
    const client = await setup.pool.connect()
    await client.query('begin; select from records for key share')
    const { stats } = await setup.run('decay')
    await client.query('rollback')
    client.release()
    const left = await setup.run('decay')
    expect([stats['materialised'], stats['pruned']]).toEqual([expect.any(Number), expect.any(Number)])
    expect([left.stats['materialised'] ?? 0, left.stats['pruned'] ?? 0]).toEqual([0, 0])
  })

  it('needs no update in a second sweep', async () => {
    await insertFadingRecords(setup, { count: 200, createdAt: setup.clock.now() })
    setup.clock.advance(3 * hour)
    const first = await setup.run('decay')
    expect(first.stats['materialised']).toBeGreaterThan(50)
    const again = await setup.run('decay')
    expect(again).toMatchObject({ status: 'succeeded', progress: { done: 0, total: 0 } })
    expect(again.stats['materialised'] ?? 0).toBe(0)
  })

  it('is the same whether the sweep reads pages or the index', async () => {
    await insertFadingRecords(setup, { count: 300, createdAt: setup.clock.now() })
    setup.clock.advance(3 * hour)
    const byPages = await setup.run('decay')
    const state = await readState(setup)
    const other = await openSetup({ rows: 7, blocks: 1, shareFrom: 1_000_000 })
    await insertFadingRecords(other, { count: 300, createdAt: other.clock.now() })
    other.clock.advance(3 * hour)
    const byIndex = await other.run('decay')
    expect(await readState(other)).toEqual(state)
    expect(byIndex.stats).toEqual(byPages.stats)
  })

  it('is not updated for a locked record', async () => {
    await insertFadingRecords(setup, { count: 30, createdAt: setup.clock.now() })
    setup.clock.advance(3 * hour)
    const holder = await setup.pool.connect()
    await holder.query('begin')
    await holder.query(
      `select from records where decay_rank is null and not pinned order by id limit 1 for update`,
    )
    const run = await setup.run('decay')
    await holder.query('rollback')
    holder.release()
    expect(run.status).toBe('succeeded')
    expect(run.progress.done).toBe((run.progress.total ?? 0) - 1)
    expect((await setup.run('decay')).progress.done).toBe(1)
  })

  it('is updated in one scope only when the run has a scope', async () => {
    await insertFadingRecords(setup, { count: 40, createdAt: setup.clock.now(), scope: 'a' })
    await insertFadingRecords(setup, { count: 40, createdAt: setup.clock.now(), scope: 'b', offset: 40 })
    setup.clock.advance(3 * hour)
    await setup.run('decay', { scope: 'a' })
    const { rows } = await setup.pool.query(
      'select scope, bool_or(salience < base_salience) as swept from records group by scope order by scope',
    )
    expect(rows).toEqual([
      { scope: 'a', swept: true },
      { scope: 'b', swept: false },
    ])
  })
})

describe('forgetting in a decay sweep', () => {
  it('happens when a record is due, with an audit entry', async () => {
    await insertFadingRecords(setup, { count: 100, createdAt: setup.clock.now() })
    setup.clock.advance(31 * hour)
    const now = setup.clock.now()
    const due = await setup.db
      .selectFrom('records')
      .where('prune_at', '<=', now)
      .select(['id', 'version'])
      .execute()
    expect(due.length).toBeGreaterThan(20)
    const run = await setup.run('decay')
    expect(run.stats['pruned']).toBe(due.length)
    const forgotten = await setup.db
      .selectFrom('records')
      .where('forgotten_at', 'is not', null)
      .select([
        'id',
        'version',
        'forgotten_at',
        'forgotten_by',
        'forgotten_reason',
        'forgotten_run_id',
        'purge_at',
      ])
      .execute()
    expect(forgotten.map(({ id }) => id).sort()).toEqual(due.map(({ id }) => id).sort())
    for (const each of forgotten) {
      expect(each).toMatchObject({
        version: 1,
        forgotten_at: now,
        forgotten_by: 'decay-service',
        forgotten_reason: 'pruned',
        forgotten_run_id: run.id,
        purge_at: new Date(now.getTime() + retention.forgottenRetentionMs),
      })
    }
    const audit = await setup.db
      .selectFrom('audit_entries')
      .where('run_id', '=', run.id)
      .select(['record_id', 'action', 'actor', 'rationale', 'at'])
      .execute()
    expect(audit.map((entry) => entry.record_id).sort()).toEqual(due.map(({ id }) => id).sort())
    expect(audit[0]).toMatchObject({
      action: 'delete',
      actor: 'decay-service',
      rationale: 'auto-pruned: salience reached floor',
      at: now,
    })
    const again = await setup.run('decay')
    expect(again.stats['pruned'] ?? 0).toBe(0)
  })

  it('waits for the retention of records that a revision set to zero', async () => {
    const createdAt = setup.clock.now()
    await insertFadingRecords(setup, { count: 20, createdAt })
    await setup.pool.query(
      `update records set status = 'superseded', base_salience = 0, salience = 0, pinned = false, expires_at = null,
         anchored_at = $1, prune_at = $1`,
      [createdAt],
    )
    setup.clock.advance(retention.revisedRetentionMs - 1)
    expect((await setup.run('decay')).stats['pruned'] ?? 0).toBe(0)
    setup.clock.advance(1)
    expect((await setup.run('decay')).stats['pruned']).toBe(20)
  })

  it('is only reported in a dry run', async () => {
    await insertFadingRecords(setup, { count: 100, createdAt: setup.clock.now() })
    setup.clock.advance(31 * hour)
    const before = await readState(setup)
    const rehearsal = await setup.run('decay', { dryRun: true })
    expect(await readState(setup)).toEqual(before)
    const listed = await listChanges(rehearsal.id)
    const run = await setup.run('decay')
    expect(rehearsal.stats).toEqual(run.stats)
    expect(run.stats['pruned']).toBeGreaterThan(20)
    expect(listed).toEqual(await listChanges(run.id))
    expect(listed).toHaveLength(run.stats['pruned'] ?? 0)
  })
})

async function listChanges(runId: string) {
  return setup.db
    .selectFrom('maintenance_changes')
    .where('run_id', '=', runId)
    .select(['record_id', 'action', 'before', 'after', 'note'])
    .orderBy('record_id')
    .execute()
}

describe('a record that a decay sweep cannot write', () => {
  beforeEach(async () => {
    await insertFadingRecords(setup, { count: 120, createdAt: setup.clock.now() })
    await setup.pool.query(
      `create function refuse() returns trigger language plpgsql as $$
         begin raise exception 'the memory of my grandmother'; end
       $$`,
    )
  })

  it('is named by the run and does not stop the others', async () => {
    await setup.pool.query(
      `create trigger refuse before update on records for each row
       when (old.id in ('00000000-0000-7000-8000-000000000005', '00000000-0000-7000-8000-000000000050'))
       execute function refuse()`,
    )
    setup.clock.advance(3 * day)
    const run = await setup.run('decay')
    expect(run).toMatchObject({ status: 'succeeded' })
    expect(run.error).toContain('P0001')
    expect(JSON.stringify(run)).not.toContain('grandmother')
    const failed = (await listChanges(run.id)).filter(({ action }) => action === 'failed')
    expect(failed.map(({ record_id }) => record_id)).toEqual([
      '00000000-0000-7000-8000-000000000005',
      '00000000-0000-7000-8000-000000000050',
    ])
    await setup.pool.query('drop trigger refuse on records')
    const next = await setup.run('decay')
    expect(next.stats['pruned']).toBe(2)
  })
})
