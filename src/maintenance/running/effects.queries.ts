import { sql } from 'kysely'
import { keepingOf } from '../../db/keeping.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Change } from '../../jobs/runs.ts'

/** How many rows are kept of a run, at most `limit`. */
export async function countEffects(tx: Transaction, runId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ kept: number }>`
    select count(*) as kept from (select from run_effects where run_id = ${runId}::uuid limit ${limit}) as first
  `.execute(tx)
  return rows[0]?.kept ?? 0
}

/**
 * Takes what a rehearsed batch wrote, as one JSON text: the batch is rolled back, and the rows are stored after it. The next
 * batch of the same transaction begins without them.
 */
export async function readEffects(tx: Transaction, runId: string): Promise<string | undefined> {
  const { rows } = await sql<{ effects: string | null }>`
    with taken as (
      delete from run_effects where run_id = ${runId}::uuid and batch = pg_current_xact_id()
      returning id, record_id, relation, before, after
    )
    select json_agg(json_build_array(record_id, relation, before, after) order by id)::text as effects from taken
  `.execute(tx)
  return rows[0]?.effects ?? undefined
}

/** The versions of records by id. */
export async function readVersions(tx: Transaction, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; version: number }>`
    select id, version from records where id = any(${sql.val([...ids])}::uuid[])
  `.execute(tx)
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/** `version`, of a change that only forgets a record: the version in the rehearsal. */
export type PlannedChange = Change & { version?: number | undefined }

/** Lists changes, with the state of each record that would only be forgotten. */
export async function insertPlannedChanges(
  tx: Transaction,
  planId: string,
  changes: readonly PlannedChange[],
): Promise<void> {
  await sql`
    insert into maintenance_changes (run_id, record_id, action, before, after, note, planned)
    select ${planId}::uuid, c.record_id, c.action, c.before, c.after, c.note, case when c.version is not null then
      jsonb_build_object(
        'version', c.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer,
        'base_salience', r.base_salience, 'anchored_at', r.anchored_at
      )
    end
    from json_to_recordset(${JSON.stringify(changes)}::json)
      as c (record_id uuid, action text, before jsonb, after jsonb, note text, version int4)
    left join records as r on r.id = c.record_id and c.version is not null
    on conflict (run_id, record_id, action) do nothing
  `.execute(tx)
}

export async function insertEffects(tx: Transaction, runId: string, effects: string): Promise<void> {
  await sql`
    insert into run_effects (run_id, record_id, relation, before, after)
    select ${runId}::uuid, (row ->> 0)::uuid, row ->> 1, nullif(row -> 2, 'null'), nullif(row -> 3, 'null')
    from jsonb_array_elements(${effects}::jsonb) with ordinality as effect (row, place)
    order by place
  `.execute(tx)
}

/**
 * Notes the state of the sources of what a rehearsed batch created, as a change of nothing: whoever applies it finds out
 * whether a source moved since.
 */
export async function noteSources(tx: Transaction, runId: string): Promise<void> {
  await sql`
    with noted as materialized (
      select record_id, relation, e.after as written from run_effects as e
      where run_id = ${runId}::uuid and batch = pg_current_xact_id() and relation in ('descents', 'records')
    ), state as (
      select r.id, jsonb_build_object('id', r.id, 'version', r.version, 'status', r.status, 'forgotten_at', r.forgotten_at) as row
      from records as r
      where r.id in (select (written ->> 'source_id')::uuid from noted where relation = 'descents')
        and r.id not in (select record_id from noted where relation = 'records')
    )
    insert into run_effects (run_id, record_id, relation, before, after)
    select ${runId}::uuid, id, 'records', row, row from state
  `.execute(tx)
}

/** Lists each move of importance in the last batch of a plan, where nothing else is listed of the record. */
export async function listRescored(tx: Transaction, runId: string): Promise<void> {
  await sql`
    insert into maintenance_changes (run_id, record_id, action, before, after)
    select run_id, record_id, 'rescore', jsonb_build_object('importance', after -> 'old'),
      jsonb_build_object('importance', after -> 'new')
    from run_effects as e
    where run_id = ${runId}::uuid and batch = pg_current_xact_id() and relation = 'importance_history'
      and not exists (
        select from maintenance_changes as c where c.run_id = e.run_id and c.record_id = e.record_id
      )
    on conflict (run_id, record_id, action) do nothing
  `.execute(tx)
}

/** Each batch extends the digest of the plan by the hash of what is kept of it. */
export async function extendDigest(tx: Transaction, planId: string, kept: string): Promise<void> {
  await sql`
    update plans set digest = encode(sha256(convert_to(digest || ${kept}, 'UTF8')), 'hex') where id = ${planId}::uuid
  `.execute(tx)
}

/**
 * Adds the changes that this transaction has listed to the groups of the plan. A change of importance is listed by the
 * database, so these are found by the effects of the transaction.
 */
export async function addToGroups(
  tx: Transaction,
  planId: string,
  changes: readonly { record_id: string; action: string }[],
): Promise<void> {
  const pairs = changes.map(({ record_id: id, action }) => ({ id, action }))
  const salience = sql`salience_at(stored, run.started_at)`
  await sql`
    with listed as (
      select id, action from json_to_recordset(${JSON.stringify(pairs)}::json) as change (id uuid, action text)
      union
      select record_id, 'rescore' from run_effects
      where run_id = ${planId}::uuid and batch = pg_current_xact_id() and relation = 'importance_history'
    ), valued as (
      select c.action, c.record_id, coalesce(stored.type, made.type, 'semantic') as type,
        greatest(coalesce(stored.sensitivity, made.sensitivity, 'hyper'), target.sensitivity) as sensitivity,
        coalesce(stored.scope, made.scope, '') as scope, ${salience} as salience, ${keepingOf(sql`stored`, salience)} as keeping,
        record_bytes(k.tags, k.payload, k.provenance, k.interpretation) as bytes
      from listed
      join maintenance_runs as run on run.id = ${planId}::uuid
      join maintenance_changes as c on c.run_id = run.id and c.record_id = listed.id and c.action = listed.action
        and c.xmin = pg_current_xact_id()::xid
      left join records as stored on stored.id = c.record_id
      left join contents as k on k.record_id = stored.id
      left join records as target on target.id = (c.after ->> 'target_id')::uuid
      left join lateral (
        select (e.after ->> 'type')::record_type as type, (e.after ->> 'sensitivity')::sensitivity as sensitivity,
          e.after ->> 'scope' as scope
        from run_effects as e
        where e.record_id = c.record_id and e.run_id = c.run_id and e.relation = 'records' and e.before is null
        limit 1
      ) as made on stored.id is null
    ), summed as (
      select action, type, sensitivity, scope, count(*) as changes, coalesce(sum(salience), 0) as salience,
        coalesce(sum(bytes), 0) as bytes, max(keeping) as keeping,
        (array_agg(record_id order by keeping desc nulls last))[1] as best
      from valued group by action, type, sensitivity, scope
    )
    insert into plan_groups as g
      (plan_id, action, type, sensitivity, scope, changes, salience, bytes, best_id, best_keeping)
    select ${planId}::uuid, action, type, sensitivity, scope, changes, salience, bytes,
      case when keeping is not null then best end, keeping
    from summed
    on conflict (plan_id, action, type, sensitivity, scope) do update
    set changes = g.changes + excluded.changes, salience = g.salience + excluded.salience,
      bytes = g.bytes + excluded.bytes, best_keeping = greatest(g.best_keeping, excluded.best_keeping),
      best_id = case when g.best_keeping >= excluded.best_keeping then g.best_id
        else coalesce(excluded.best_id, g.best_id) end
  `.execute(tx)
}

/** Deletes a part of what a rehearsal kept, and returns how many rows it were. */
export async function deleteRehearsed(tx: Transaction, runId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with effect as (
      delete from run_effects
      where ctid = any(array(select ctid from run_effects where run_id = ${runId}::uuid limit ${limit}))
      returning 1
    ), change as (
      delete from maintenance_changes
      where ctid = any(array(select ctid from maintenance_changes where run_id = ${runId}::uuid limit ${limit}))
      returning 1
    )
    select (select count(*) from effect) + (select count(*) from change) as deleted
  `.execute(tx)
  return rows[0]?.deleted ?? 0
}

/** As if the run had not begun, but for when it did. */
export async function resetRun(tx: Transaction, runId: string): Promise<void> {
  await sql`
    with plan as (
      update plans set digest = encode(sha256(convert_to(id::text, 'UTF8')), 'hex') where id = ${runId}::uuid
    ), summary as (
      delete from plan_groups where plan_id = ${runId}::uuid
    )
    update maintenance_runs set done = 0, total = null, stats = '{}', error = null where id = ${runId}::uuid
  `.execute(tx)
}
