import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { namesNoHidden, removePlace, showMembers } from '../db/fragments/concealment.ts'
import { computeKeepingOf } from '../db/fragments/lifecycle/keeping.ts'
import { computeSalienceOf } from '../db/fragments/lifecycle/salience.ts'
import { restrictToScope } from '../db/fragments/scope-condition.ts'
import { isVisibleTo, openTo } from '../db/fragments/visibility.ts'
import type { RecordType } from '../db/schema.ts'
import type { Trust } from '../domain/trust/caller.ts'
import { isLarge, isListed, listedChanges } from './listed-changes.queries.ts'
import type { PlanChangesQuery } from './plans.schemas.ts'

export type PlanChangeRow = {
  record_id: string
  type: RecordType
  action: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  note: string | null
  payload: unknown
  is_open: boolean
}

type ChangesPage = Omit<PlanChangesQuery, 'limit' | 'cursor'> & {
  planId: string
  trust: Trust
  after: { record_id: string; action: string } | undefined
  limit: number
}

/** The changes that the caller may see, with the content of the records that would be created. */
export async function listPlanChanges(
  db: Database,
  { planId, trust, after, limit, action, type, scope }: ChangesPage,
): Promise<PlanChangeRow[]> {
  const payload = sql`(
    select e.after -> 'payload' from run_effects as e
    where e.run_id = c.run_id and e.record_id = c.record_id and e.relation = 'contents' and e.before is null
    limit 1
  )`
  const { rows } = await sql<PlanChangeRow>`
    select c.record_id, r.type, c.action, ${showMembers(trust, sql`c.before`)} as before,
      ${showMembers(trust, removePlace(trust, sql`c.after`))} as after, ${showMembers(trust, payload)} as payload,
      case when ${namesNoHidden(trust, sql`c.note`)} then c.note end as note, ${openTo(trust)} as is_open
    from ${listedChanges}
    where c.run_id = ${planId}::uuid and ${isListed(trust)}
      ${action === undefined ? sql`` : sql`and c.action = ${action}`}
      ${type === undefined ? sql`` : sql`and r.type = ${type}::record_type`}
      ${restrictToScope(scope ?? null)}
      ${after ? sql`and (c.record_id, c.action) > (${after.record_id}::uuid, ${after.action})` : sql``}
    order by c.record_id, c.action
    limit ${limit}
  `.execute(db)
  return rows
}

export type PlanGroupRow = {
  action: string
  type: RecordType
  count: number
  salience: number
  bytes: number
  most_valuable: { record_id: string; keeping: number } | null
}

type Reader = { planId: string; trust: Trust; now: Date }

/**
 * Values only of records that the caller sees whole. Of a large plan, the groups are those that were kept when it was
 * prepared.
 */
export async function summarisePlan(db: Database, { planId, trust, now }: Reader): Promise<PlanGroupRow[]> {
  const salience = computeSalienceOf('stored', sql`${now}::timestamptz`)
  const { rows } = await sql<PlanGroupRow>`
    with size as materialized (select ${isLarge} as is_large from plans as p where p.id = ${planId}::uuid),
    listed as materialized (
      select c.action, c.record_id, r.type, 1::int8 as changes, valued.*
      from ${listedChanges}
      left join lateral (
        select ${salience} as salience, ${computeKeepingOf(sql`stored`, salience)} as keeping, (
          select record_bytes(k.tags, k.payload, k.provenance, k.interpretation) from contents as k
          where k.record_id = stored.id
        ) as bytes
      ) as valued on stored.id is not null and ${openTo(trust)}
      where c.run_id = ${planId}::uuid and not (select is_large from size) and ${isListed(trust)}
      union all
      select r.action, case when opened then r.best_id end, r.type, r.changes, case when opened then r.salience end,
        case when opened then r.best_keeping end, case when opened then r.bytes end
      from plan_groups as r cross join lateral (select ${openTo(trust)} as opened) as open
      where r.plan_id = ${planId}::uuid and (select is_large from size) and ${isVisibleTo(trust)}
    )
    select action, type, sum(changes)::int8 as count, coalesce(sum(salience), 0) as salience,
      coalesce(sum(bytes), 0)::int8 as bytes,
      case when max(keeping) is not null then (
        array_agg(jsonb_build_object('record_id', record_id, 'keeping', keeping) order by keeping desc nulls last)
      )[1] end as most_valuable
    from listed
    group by action, type
    order by action, type
  `.execute(db)
  return rows
}
