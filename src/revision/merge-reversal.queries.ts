import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'

/**
 * What a dream told as one in this record and is nowhere else: live, and put aside by that very move. In the order of
 * their ids, to be locked so.
 */
export async function findMergedSources(db: Database, heirId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id
    from relations as e
    join records as r on r.id = e.target_id
    cross join lateral (
      select s.step, s.at from status_changes as s where s.record_id = r.id order by s.id desc limit 1
    ) as moved
    where e.source_id = ${heirId}::uuid and e.predicate = 'derived_from' and r.status = 'merged'
      and r.forgotten_at is null and moved.step = 'cluster' and moved.at = e.created_at
    order by r.id
  `.execute(db)
  return rows.map(({ id }) => id)
}

export type LostSalience = { id: string; salience: number }

/** The salience that a merge took from each, as its log has it. */
export async function findSalienceBeforeMerge(db: Database, ids: readonly string[]): Promise<LostSalience[]> {
  const { rows } = await sql<LostSalience>`
    select r.id, merged.salience
    from unnest(${sql.val([...ids])}::uuid[]) as r (id)
    cross join lateral (
      select (a.changes #>> '{salience,0}')::float8 as salience
      from audit_entries as a
      where a.record_id = r.id and a.action = 'merge' and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
      order by a.id desc
      limit 1
    ) as merged
  `.execute(db)
  return rows
}
