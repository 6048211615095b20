import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'

/**
 * Deletes the rows that were kept of revisions before `before`, at most of `limit` revisions, and returns of how many.
 * Afterwards these revisions cannot be taken back. The id of a revision begins with its time, so the oldest come first.
 */
export async function deleteRevisionEffects(db: Database, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with recursive kept as (
      (select run_id from run_effects order by run_id limit 1)
      union all
      select (select e.run_id from run_effects as e where e.run_id > kept.run_id order by e.run_id limit 1)
      from kept where kept.run_id is not null
    ), old as (
      select run_id from kept
      where run_id < (
        lpad(to_hex((extract(epoch from ${before}::timestamptz) * 1000)::bigint), 12, '0') || repeat('0', 20)
      )::uuid and not exists (select from maintenance_runs as m where m.id = kept.run_id)
      limit ${limit}
    ), deleted as (
      delete from run_effects where run_id in (select run_id from old)
    )
    select count(*) as deleted from old
  `.execute(db)
  return rows[0]?.deleted ?? 0
}
