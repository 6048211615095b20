import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

/** Adds what a run did to the totals of the metrics, which stay when the run is deleted. A dry run did nothing. */
export async function addRunTotals(tx: Transaction, id: string): Promise<void> {
  await sql`
    with ended as (
      select job, status, stats, extract(epoch from finished_at - started_at) as seconds
      from maintenance_runs where id = ${id} and not dry_run
    ), counted as (
      select 'run/' || job || '/' || status as name, 1::float8 as value from ended
      union all
      select 'run_seconds/' || job, greatest(seconds, 0)::float8 from ended where seconds is not null
      union all
      select 'job/' || job || '/' || stat.key, stat.value::float8 from ended, jsonb_each_text(stats) as stat
      where stat.value ~ '^[0-9]{1,15}$'
    )
    insert into tallies (name, backend, value) select name, pg_backend_pid(), value from counted
    on conflict (name, backend) do update set value = tallies.value + excluded.value
  `.execute(tx)
}
