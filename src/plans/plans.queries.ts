import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { namesNoHidden } from '../db/fragments/concealment.ts'
import { isVisibleTo } from '../db/fragments/visibility.ts'
import type { RunStatus } from '../db/schema.ts'
import type { Trust } from '../domain/trust/caller.ts'
import { hasChanged, isLarge, isListed, listedChanges } from './listed-changes.queries.ts'
import type { PlanStatus } from './plans.schemas.ts'

export type PlanRow = {
  id: string
  job: string
  options: unknown
  scope: string | null
  run_status: RunStatus
  status: PlanStatus
  digest: string
  counts: Record<string, number>
  error: string | null
  created_at: Date
  started_at: Date | null
  expires_at: Date
}

type Reader = { trust: Trust; now: Date }

/** A key that is bound to scopes sees only plans of those scopes, as it sees only such runs. */
function selectPlans({ trust, now }: Reader): RawBuilder<PlanRow> {
  const scopes = trust.scopes && sql`and m.scope = any(${trust.scopes}::text[])`
  return sql<PlanRow>`
    select p.id, m.job, m.options, m.scope, m.status as run_status, p.digest, m.created_at, m.started_at, p.expires_at,
      case when ${namesNoHidden(trust, sql.ref('m.error'))} then m.error else split_part(m.error, ':', 1) end as error,
      case
        when m.status in ('queued', 'running') then 'preparing'
        when m.status <> 'succeeded' then 'failed'
        when p.applied_at is not null then 'applied'
        when p.expires_at <= ${now}::timestamptz then 'expired'
        when ${hasChanged(trust)} then 'stale'
        else 'ready'
      end as status,
      (
        select coalesce(jsonb_object_agg(counted.action, counted.changes), '{}') from (
          select c.action, count(*) as changes from ${listedChanges}
          where c.run_id = p.id and not large.is_large and ${isListed(trust)} group by c.action
          union all
          select r.action, sum(r.changes) as changes from plan_groups as r
          where r.plan_id = p.id and large.is_large and ${isVisibleTo(trust)} group by r.action
        ) as counted
      ) as counts
    from plans as p join maintenance_runs as m on m.id = p.id
    cross join lateral (select ${isLarge} as is_large) as large
    where true ${scopes ?? sql``}
  `
}

export async function findPlan(db: Database, id: string, reader: Reader): Promise<PlanRow | undefined> {
  const { rows } = await sql<PlanRow>`${selectPlans(reader)} and p.id = ${id}::uuid`.execute(db)
  return rows[0]
}

type PlansPage = Reader & {
  job?: string | undefined
  status?: PlanStatus | undefined
  after: { created_at: Date; id: string } | undefined
  limit: number
}

/** Newest first. */
export async function listPlans(db: Database, { job, status, after, limit, ...reader }: PlansPage) {
  const { rows } = await sql<PlanRow>`
    select * from (${selectPlans(reader)}
      ${job === undefined ? sql`` : sql`and m.job = ${job}`}
      ${after ? sql`and (m.created_at, m.id) < (${after.created_at}::timestamptz, ${after.id}::uuid)` : sql``}
    ) as plan
    ${status === undefined ? sql`` : sql`where status = ${status}`}
    order by created_at desc, id desc
    limit ${limit}
  `.execute(db)
  return rows
}
