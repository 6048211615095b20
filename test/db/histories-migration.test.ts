import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { migrateDown } from '../support/servers/migrate-down.ts'
import { insertFadingRecords } from '../support/stores/fading-records.ts'
import { listMonths } from '../support/stores/history-months.ts'
import { openWorkerSetup, type WorkerSetup } from '../support/workers/worker-setup.ts'

let setup: WorkerSetup
beforeEach(async () => {
  setup = await openWorkerSetup()
  await migrateDown(setup.db, '0050_sizes_by_key')
  await insertFadingRecords(setup, { count: 5, createdAt: setup.clock.now() })
  await setup.pool.query(`
    with run as (
      insert into maintenance_runs (id, job, trigger, dry_run, options, status, done, stats, attempts, cancel_requested,
        created_at)
      values ('019d3000-0000-7000-8000-000000000001', 'decay', 'manual', false, '{}', 'queued', 0, '{}', 0, false, now())
      returning id
    ), change as (
      insert into maintenance_changes (run_id, record_id, action) select run.id, r.id, 'prune' from run, records as r
    )
    insert into importance_history (record_id, at, old, new) select id, created_at, 0.5, 0.4 from records`)
})
afterEach(() => setup.close())

const histories = ['audit_entries', 'importance_history', 'maintenance_changes']

async function readHistories(): Promise<unknown[]> {
  const read = (name: string) =>
    setup.pool.query(`select to_jsonb(h) as row from ${name} as h order by to_jsonb(h)::text`)
  return (await Promise.all(histories.map(read))).map(({ rows }) => rows)
}

/** More than 64 MB, in rows too short to be compressed. */
async function growAuditLog(at = '2026-03-01'): Promise<void> {
  await setup.pool.query(
    `insert into audit_entries (record_id, at, action, actor, rationale)
     select r.id, $1, 'reinforce', 'ada', repeat('x', 1600) from records as r, generate_series(1, 7000)`,
    [at],
  )
}

describe('the migration of the histories', () => {
  it('keeps every row, continues the numbers, and can be reverted', async () => {
    const before = await readHistories()
    await migrateUp(setup.db)
    expect(await readHistories()).toEqual(before)
    for (const name of histories) expect(await listMonths(setup.db, name)).toEqual({ rest: 5 })
    await insertFadingRecords(setup, { count: 1, createdAt: setup.clock.now(), offset: 50 })
    const { rows } = await setup.pool.query(
      'select count(*)::int as entries, count(distinct id)::int as ids, max(id)::int > 5 as is_later from audit_entries',
    )
    expect(rows).toEqual([{ entries: 6, ids: 6, is_later: true }])
    const grown = await readHistories()
    await migrateDown(setup.db, '0050_sizes_by_key')
    expect(await readHistories()).toEqual(grown)
    await insertFadingRecords(setup, { count: 1, createdAt: setup.clock.now(), offset: 60 })
    await migrateUp(setup.db)
    expect(await listMonths(setup.db, 'audit_entries')).toEqual({ rest: 7 })
  })

  it('keeps the guards: a log is append-only, and the changes of a run go with it', async () => {
    await migrateUp(setup.db)
    await expect(setup.pool.query('delete from audit_entries')).rejects.toThrow('append-only')
    await expect(setup.pool.query('truncate audit_entries_rest')).rejects.toThrow('append-only')
    await setup.pool.query('delete from maintenance_runs')
    expect(await listMonths(setup.db, 'maintenance_changes')).toEqual({ rest: 0 })
  })

  it('gives a large log a bound in time, and reverts from there', async () => {
    await growAuditLog()
    await migrateUp(setup.db)
    const months = await listMonths(setup.db, 'audit_entries')
    expect(Object.entries(months)).toEqual([
      [expect.stringMatching(/^\d{6}$/), 35_005],
      ['rest', 0],
    ])
    await migrateDown(setup.db, '0050_sizes_by_key')
    const { rows } = await setup.pool.query('select count(*)::int as entries from audit_entries')
    expect(rows).toEqual([{ entries: 35_005 }])
  })

  it('leaves a large log without a bound when a clock was wrong once', async () => {
    await growAuditLog('2100-01-01')
    await migrateUp(setup.db)
    expect(await listMonths(setup.db, 'audit_entries')).toEqual({ rest: 35_005 })
  })
})
