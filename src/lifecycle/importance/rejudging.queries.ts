import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { restrictToScope } from '../../db/fragments/scope-condition.ts'
import type { Transaction } from '../../db/transaction.ts'
import { minImportance } from '../../domain/importance/surprise.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import type { Portion, Position } from '../../jobs/runs/run-walk.ts'

const service = 'importance-service'
/** The base importance of a record from before worth was judged. */
const formerDefault = sql.lit(0.5)

/** On rows `r` and `s`, its surprise: stored before worth was judged, without a named importance, and not moved since. */
function isUnjudged(scope: string | null): RawBuilder<unknown> {
  return sql`r.worth is null and r.forgotten_at is null and not r.pinned
    and coalesce(s.base_before, ${formerDefault}) = ${formerDefault}
    and r.base_importance = ${computeMove(sql`${formerDefault}::float8`)}
    ${restrictToScope(scope)}`
}

/** The base importance after the surprise of a row `s`, which may be absent. */
function computeMove(base: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`case when coalesce(s.delta, 0) = 0 then ${base}
    else least(1, greatest(${sql.lit(minImportance)}::float8, ${base} + s.delta)) end`
}

export async function countUnjudged(db: Database, scope: string | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int4 as count
    from records as r left join surprises as s on s.record_id = r.id
    where ${isUnjudged(scope)}
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns the next records by age, locked. Records that others have locked are skipped. */
export async function claimUnjudged(
  tx: Transaction,
  { after, limit, scope }: Portion & { scope: string | null },
): Promise<Position[]> {
  const { rows } = await sql<Position>`
    select r.created_at::text as at, r.id
    from records as r left join surprises as s on s.record_id = r.id
    where ${isUnjudged(scope)} and (r.created_at, r.id) > (${after.at}::timestamptz, ${after.id}::uuid)
    order by r.created_at, r.id
    limit ${limit}
    for no key update of r skip locked
  `.execute(tx)
  return rows
}

export type Judgeable = {
  id: string
  scope: string
  sensitivity: Sensitivity
  payload: Payload
  /** Null unless it is a message, like the next two. */
  conversation: string | null
  at: string | null
  arrival: number | null
}

export async function listJudgeable(tx: Transaction, ids: readonly string[]): Promise<Judgeable[]> {
  const { rows } = await sql<Judgeable>`
    select r.id, r.scope, r.sensitivity, c.payload, m.conversation, to_json(m.at) #>> '{}' as at, m.arrival
    from records as r
    join contents as c on c.record_id = r.id
    left join messages as m on m.record_id = r.id
    where r.id = any(${ids}::uuid[])
    order by r.id
  `.execute(tx)
  return rows
}

export type Judged = { id: string; value: number; code: Buffer }

/** Stores judgements as if they had been made before the surprise came, each with an audit entry. */
export async function writeJudgements(
  tx: Transaction,
  judged: readonly Judged[],
  { now, runId }: { now: Date; runId: string },
): Promise<void> {
  const given = JSON.stringify(judged.map(({ code, ...rest }) => ({ ...rest, code: code.toString('hex') })))
  await sql`
    with judged as materialized (
      select g.id, g.value, decode(g.code, 'hex') as code, r.base_importance as old, s.delta
      from json_to_recordset(${given}::json) as g (id uuid, value float8, code text)
      join records as r on r.id = g.id
      left join surprises as s on s.record_id = g.id
    ), moved as (
      update records as r set worth = s.code, base_importance = ${computeMove(sql`s.value`)}
      from judged as s where r.id = s.id
      returning r.id, s.old, r.base_importance as new
    ), compared as (
      update surprises as s set base_before = judged.value from judged where s.record_id = judged.id
    )
    insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
    select id, ${runId}::uuid, ${now}::timestamptz, 'revise', ${service}, 'judged by its content',
      jsonb_build_object('base_importance', jsonb_build_array(old, new))
    from moved order by id
  `.execute(tx)
}
