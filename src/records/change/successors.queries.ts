import { sql } from 'kysely'
import { isVisibleTo } from '../../db/fragments/visibility.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Trust } from '../../domain/trust/caller.ts'

/** The record that superseded `old` or into which it was merged, if it is visible. One at most. */
const nextRecord = (trust: Trust) => sql`
  select r.id, r.type, r.status
  from status_changes as moved
  join relations as e on e.source_id = old.id and e.created_at = moved.at
    and (e.predicate = 'superseded_by' or old.status = 'merged' and e.predicate = 'derives')
  join records as r on r.id = e.target_id
  where moved.record_id = old.id and moved.new = old.status and old.status in ('superseded', 'merged')
    and r.forgotten_at is null and r.type = old.type and ${isVisibleTo(trust)}
  order by moved.id desc, r.id desc
  limit 1
`

/** The record that superseded this one or into which it was merged, if the caller sees it. */
export async function findSuccessor(tx: Transaction, id: string, trust: Trust): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select next.id
    from records as old cross join lateral (${nextRecord(trust)}) as next
    where old.id = ${id}::uuid
  `.execute(tx)
  return rows[0]?.id
}

/** More revisions of one record in a row are not followed. An import may also contain a circle. */
const maxSteps = 1_000

export type Replaced = { id: string; successor: string }

/** For each replaced record the last one of the records that replaced each other, as far as the caller sees them. */
export async function findLastSuccessors(
  tx: Transaction,
  ids: readonly string[],
  trust: Trust,
): Promise<Replaced[]> {
  const { rows } = await sql<Replaced>`
    with recursive old as (
      select r.id as replaced, 0 as step, r.id, r.type, r.status
      from records as r
      where r.id = any(${ids}::uuid[])
      union all
      select old.replaced, old.step + 1, next.id, next.type, next.status
      from old cross join lateral (${nextRecord(trust)}) as next
      where old.step < ${sql.lit(maxSteps)}
    )
    select distinct on (replaced) replaced as id, id as successor
    from old
    where step > 0
    order by replaced, step desc
  `.execute(tx)
  return rows
}
