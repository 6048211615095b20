import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'

export type RequiredSensitivity = { id: string; sensitivity: Sensitivity }

/**
 * The records made from `sourceIds` that are not sensitive enough, each with the lowest sensitivity that it may have. A record that
 * repeats these sources must be as sensitive as the most sensitive of them; every record, as the least sensitive of all its grounds.
 */
export async function findLessSensitive(
  tx: Transaction,
  sourceIds: readonly string[],
): Promise<RequiredSensitivity[]> {
  const sources = sql`any(${sourceIds}::uuid[])`
  const { rows } = await sql<RequiredSensitivity>`
    with touched as materialized (
      select distinct d.derived_id as id from descents as d where d.source_id = ${sources} and d.kind <> 'contest'
    )
    select r.id, required.sensitivity
    from touched cross join lateral (
      select r.id, r.type, r.sensitivity from records as r where r.id = touched.id offset 0
    ) as r cross join lateral (
      select greatest((
        select max(s.sensitivity) from descents as d join records as s on s.id = d.source_id
        where d.derived_id = r.id and d.source_id = ${sources} and r.type <> 'entity'
          and (d.kind in ('dream', 'merge') or r.type in ('competence', 'plan_graph') and d.kind = 'consolidation')
      ), case when not exists (
        select from descents as d
        cross join lateral (select s.sensitivity from records as s where s.id = d.source_id offset 0) as s
        where d.derived_id = r.id and d.is_ground and s.sensitivity <= r.sensitivity
      ) then (
        select min(s.sensitivity) from descents as d join records as s on s.id = d.source_id
        where d.derived_id = r.id and d.is_ground
      ) end) as sensitivity
    ) as required
    where r.sensitivity < required.sensitivity
    order by r.id
  `.execute(tx)
  return rows
}
