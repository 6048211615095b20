import type { WorkerSetup } from '../workers/worker-setup.ts'
import { insertFadingRecords } from './fading-records.ts'

/**
 * Inserts records of different importance whose grace period is over, and a budget for them. Every eleventh is pinned.
 */
export async function insertOverBudget(
  setup: WorkerSetup,
  { count, max, mode = 'soft' }: { count: number; max: number; mode?: string },
): Promise<void> {
  await insertFadingRecords(setup, { count, createdAt: setup.clock.now(), scope: 'a' })
  await setup.pool.query(
    `update records set created_at = created_at - interval '3 days',
       importance = 0.1 + 0.8 * (('x' || substr(md5(id::text), 1, 4))::bit(16)::int / 65536.0)`,
  )
  await setup.pool.query(
    `insert into budgets (scope, max_records, protect, mode) values ('a', $1, '{}', $2)
     on conflict (scope) do update set max_records = excluded.max_records`,
    [max, mode],
  )
}

export type LiveRecord = { id: string; pinned: boolean; importance: number }

export async function listLive({ pool }: WorkerSetup): Promise<LiveRecord[]> {
  const { rows } = await pool.query<LiveRecord>(
    'select id, pinned, importance from records where forgotten_at is null order by importance, id',
  )
  return rows
}

/** The ranks that the runs listed, in order. */
export async function listRanks({ pool }: WorkerSetup): Promise<number[]> {
  const { rows } = await pool.query<{ rank: number }>(
    `select (after ->> 'rank')::int as rank from maintenance_changes where action = 'forget' order by run_id, rank`,
  )
  return rows.map(({ rank }) => rank)
}
