import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'

/**
 * The records that a dream merged into this one, if that merge was their last status change and they are not forgotten.
 * Sorted by id, because they are locked in this order.
 */
export async function findMergedSources(db: Database, mergedId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id
    from relations as e
    join records as r on r.id = e.target_id
    cross join lateral (
      select s.step, s.at from status_changes as s where s.record_id = r.id order by s.id desc limit 1
    ) as moved
    where e.source_id = ${mergedId}::uuid and e.predicate = 'derived_from' and r.status = 'merged'
      and r.forgotten_at is null and moved.step = 'cluster' and moved.at = e.created_at
    order by r.id
  `.execute(db)
  return rows.map(({ id }) => id)
}

export type LostSalience = { id: string; salience: number }

/** The salience that each record had before the merge, read from its audit log. */
export async function findSalienceBeforeMerge(db: Database, ids: readonly string[]): Promise<LostSalience[]> {
  const { rows } = await sql<LostSalience>`
    select r.id, merged.salience
    from unnest(${ids}::uuid[]) as r (id)
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
