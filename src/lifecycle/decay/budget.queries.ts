import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import {
  decayActor,
  describeBudgetForgetting,
  overBudgetRationale,
} from '../../db/fragments/lifecycle/forgetting.ts'
import { computeSalienceAt } from '../../db/fragments/lifecycle/salience.ts'
import { createScopeSizeKey } from '../../db/fragments/lock-keys.ts'
import type { Transaction } from '../../db/transaction.ts'
import { unscoped } from '../../domain/trust/caller.ts'
import { computeKeepingAt, type Eligibility, isDueForPruning, isEligible } from './budget-order.queries.ts'

/** Adds up the rows in which the connections count the sizes of scopes. It waits for no writer. */
export async function foldScopeSizes(tx: Transaction, limit: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    with chosen as materialized (
      select scope, type, layer, is_guarded, backend from scope_sizes
      where backend <> 0
      limit ${limit}
      for update skip locked
    ), folded as (
      delete from scope_sizes as s using chosen as c
      where (s.scope, s.type, s.layer, s.is_guarded, s.backend) = (c.scope, c.type, c.layer, c.is_guarded, c.backend)
      returning s.*
    ), added as (
      insert into scope_sizes as s (scope, type, layer, is_guarded, backend, records, bytes)
      select scope, type, layer, is_guarded, 0, sum(records), sum(bytes) from folded group by 1, 2, 3, 4
      on conflict on constraint scope_sizes_pkey
      do update set records = s.records + excluded.records, bytes = s.bytes + excluded.bytes
    )
    select count(*)::int4 as folded from folded
  `.execute(tx)
  return rows[0]?.folded ?? 0
}

/** Deletes the rows of scopes without any record, at most `limit`, and returns how many. */
export async function deleteEmptySizes(tx: Transaction, limit: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with empty as materialized (
      select ctid from scope_sizes where backend = 0 and records = 0 and bytes = 0
      limit ${limit}
      for update skip locked
    ), deleted as (
      delete from scope_sizes as s using empty where s.ctid = empty.ctid returning 1
    )
    select count(*)::int4 as deleted from deleted
  `.execute(tx)
  return rows[0]?.deleted ?? 0
}

export type OverBudget = {
  scope: string
  protect: string[]
  is_hard: boolean
  /** Whether the budget is in bytes. */
  has_bytes: boolean
  /** The size to forget, in the unit of the budget. */
  excess: number
  /** About how many records that are. */
  records: number
}

type Instants = { now: Date; revisedBefore: Date }

/**
 * The scopes that exceed their budget, or the one named scope. Records that are due for pruning do not count: a dry run has not
 * pruned them, and a run left only those that others had locked.
 */
export async function findOverBudget(
  db: Database,
  { scope, ...instants }: Instants & { scope: string | null },
): Promise<OverBudget[]> {
  const { rows } = await sql<OverBudget>`
    with sized as materialized (
      select s.scope, b.max_records, b.max_bytes, b.protect, b.mode,
        sum(s.records) as records, sum(s.bytes) as bytes,
        sum(s.records) filter (where not s.is_guarded and s.type::text <> all(b.protect)
          and s.layer::text <> all(b.protect)) as unguarded
      from scope_sizes as s
      left join budgets as own on own.scope = s.scope
      join budgets as b on b.scope = coalesce(own.scope, ${unscoped})
      where ${scope === null ? sql`true` : sql`s.scope = ${scope}`}
      group by s.scope, b.scope
      having sum(s.records) > b.max_records or sum(s.bytes) > b.max_bytes
    ), leaving as materialized (${selectDueForPruning(instants)}), due as (
      select s.scope, count(*) as records, case when s.max_bytes is null then 0 else sum(
        record_bytes(c.tags, c.payload, c.provenance, c.interpretation)
      ) end as bytes
      from leaving join sized as s using (scope) join contents as c on c.record_id = leaving.id
      group by s.scope, s.max_bytes
    ), judged as (
      select s.*, s.max_bytes is not null as has_bytes,
        coalesce(s.records - s.max_records - coalesce(due.records, 0), s.bytes - s.max_bytes - coalesce(due.bytes, 0))
          as excess
      from sized as s left join due using (scope)
    )
    select scope, protect, mode = 'hard' as is_hard, has_bytes, excess::int8 as excess,
      least(unguarded, case when has_bytes then ceil(excess * records / greatest(bytes, 1)) else excess end)::int8
        as records
    from judged
    where excess > 0 and unguarded > 0
    order by scope
  `.execute(db)
  return rows
}

/** Two parts, because each has a partial index. */
function selectDueForPruning(instants: Instants): RawBuilder<unknown> {
  return sql`
    select r.id, r.scope from records as r
    where r.forgotten_at is null and r.status in ('active', 'challenged') and ${isDueForPruning(instants)}
    union all
    select r.id, r.scope from records as r
    where r.forgotten_at is null and r.status in ('invalidated', 'merged', 'superseded') and ${isDueForPruning(instants)}
  `
}

/**
 * Until the transaction ends, no other one lowers the size of the scope or changes its budget: what is counted
 * afterwards stays true. Records that are added meanwhile only make the excess larger.
 */
export async function lockScopeSize(tx: Transaction, scope: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${createScopeSizeKey(scope)})`.execute(tx)
  await sql`select from budgets where scope = any(${[scope, unscoped]}::text[]) for share`.execute(tx)
}

/** How many records a run has forgotten for the budget of each scope. More than none when another worker started it. */
export async function countForgottenByScope(db: Database, runId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ scope: string; forgotten: number }>`
    select r.scope, count(*)::int8 as forgotten
    from maintenance_changes as c join records as r on r.id = c.record_id
    where c.run_id = ${runId}::uuid and c.action = 'forget'
    group by r.scope
  `.execute(db)
  return new Map(rows.map(({ scope, forgotten }) => [scope, forgotten]))
}

type Forgetting = Eligibility & {
  runId: string
  purgeAt: Date
  /** In the order of `keeping`. */
  ids: readonly string[]
  /** Records with a higher `keeping` stay. */
  line: number
  /** How much to forget, in bytes or records. */
  excess: number
  hasBytes: boolean
  protect: readonly string[]
  /** How many records the run has forgotten before, in this scope. */
  ranked: number
}

export type ForgottenForBudget = {
  id: string
  rank: number
  keeping: number
  importance: number
  salience: number
  /** In the unit of the budget. */
  size: number
  version: number
}

/**
 * Forgets the first of the records until the budget holds, with their audit entries and the changes of the run. Records
 * that have changed since they were read, so that they may no longer be forgotten or have a higher `keeping`, stay.
 */
export async function forgetForBudget(
  tx: Transaction,
  forgetting: Forgetting,
): Promise<ForgottenForBudget[]> {
  const { now, purgeAt, runId, ids, line, excess, hasBytes, protect, ranked } = forgetting
  const size = hasBytes ? sql`record_bytes(c.tags, c.payload, c.provenance, c.interpretation)` : sql`1::int8`
  const keeping = computeKeepingAt(now)
  const { rows } = await sql<ForgottenForBudget>`
    with locked as materialized (
      select r.id, given.position, ${keeping} as keeping, r.importance, ${computeSalienceAt(now)} as salience
      from unnest(${ids}::uuid[]) with ordinality as given (id, position)
      join records as r on r.id = given.id
      where ${isEligible(forgetting)} and r.type::text <> all(${protect}::text[])
        and r.layer::text <> all(${protect}::text[])
        and ${keeping} <= ${line}::float8 * (1 + 1e-9::float8)
      for no key update of r skip locked
    ), measured as (
      select l.*, ${size} as size from locked as l ${hasBytes ? sql`join contents as c on c.record_id = l.id` : sql``}
    ), summed as (
      select m.*, sum(size) over (order by position) - size as before from measured as m
    ), chosen as (
      select s.*, ${ranked}::int8 + row_number() over (order by position) as rank
      from summed as s where before < ${excess}::int8
    ), forgotten as (
      update records as r
      set forgotten_at = ${now}::timestamptz, forgotten_reason = 'budget', forgotten_by = ${decayActor},
        forgotten_run_id = ${runId}::uuid, purge_at = ${purgeAt}::timestamptz
      from chosen where r.id = chosen.id
      returning chosen.*, r.version
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select id, ${runId}::uuid, ${now}::timestamptz, 'delete', ${decayActor},
        ${overBudgetRationale}, ${describeBudgetForgetting(now, sql`keeping`)}
      from forgotten
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select ${runId}::uuid, id, 'forget',
        jsonb_build_object('salience', salience, 'importance', importance, 'keeping', keeping),
        ${JSON.stringify({ forgotten_at: now, purge_at: purgeAt })}::jsonb
          || jsonb_build_object('rank', rank, 'line', ${line}::float8)
      from forgotten
      on conflict (run_id, record_id, action) do nothing
    )
    select id, rank, keeping, importance, salience, size, version from forgotten order by rank
  `.execute(tx)
  return rows
}
