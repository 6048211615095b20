import { type RawBuilder, sql } from 'kysely'
import { computeKeepingOf } from '../../db/fragments/lifecycle/keeping.ts'
import { computeSalienceOf } from '../../db/fragments/lifecycle/salience.ts'
import type { Transaction } from '../../db/transaction.ts'

/** Lists changes, given as JSON, with the state of each record that would only be forgotten, and adds them to the groups of the plan. */
export async function insertPlannedChanges(tx: Transaction, planId: string, changes: string): Promise<void> {
  const given = sql`
    select * from rows from (
      json_to_recordset(${changes}::json)
        as (record_id uuid, action text, before jsonb, after jsonb, note text, version int4)
    ) with ordinality as given (record_id, action, before, after, note, version, place)
  `
  await insertListed(tx, planId, given)
}

/**
 * Lists each move of importance in the last batch of a plan, where nothing else is listed of the record: a job only logs
 * these. The offset makes it an index probe for each: nothing is known yet of how much the plan lists.
 */
export async function listRescored(tx: Transaction, planId: string): Promise<void> {
  const rescored = sql`
    select e.record_id, 'rescore' as action, jsonb_build_object('importance', e.after -> 'old') as before,
      jsonb_build_object('importance', e.after -> 'new') as after, null::text as note, null::int4 as version, e.id as place
    from run_effects as e
    where e.run_id = ${planId}::uuid and e.batch = pg_current_xact_id() and e.relation = 'importance_history'
      and not exists (
        select from maintenance_changes as c where c.run_id = e.run_id and c.record_id = e.record_id offset 0
      )
  `
  await insertListed(tx, planId, rescored)
}

/**
 * One statement: a second one would have to find what the first has listed among all changes of the plan. Its records are
 * read once, and what cannot be listed again is not counted again.
 */
async function insertListed(tx: Transaction, planId: string, given: RawBuilder<unknown>): Promise<void> {
  const salience = computeSalienceOf('stored', sql`run.started_at`)
  await sql`
    with listed as materialized (
      select distinct on (c.record_id, c.action) c.*,
        stored.status, stored.pinned, stored.layer, stored.base_salience, stored.anchored_at,
        coalesce(stored.type, made.type, 'semantic') as type,
        greatest(coalesce(stored.sensitivity, made.sensitivity, 'hyper'), target.sensitivity) as sensitivity,
        coalesce(stored.scope, made.scope, '') as scope, ${salience} as salience, ${computeKeepingOf(sql`stored`, salience)} as keeping,
        record_bytes(k.tags, k.payload, k.provenance, k.interpretation) as bytes
      from (${given}) as c
      join maintenance_runs as run on run.id = ${planId}::uuid
      left join records as stored on stored.id = c.record_id
      left join contents as k on k.record_id = stored.id
      left join records as target on target.id = (c.after ->> 'target_id')::uuid
      left join lateral (
        select (e.after ->> 'type')::record_type as type, (e.after ->> 'sensitivity')::sensitivity as sensitivity,
          e.after ->> 'scope' as scope
        from run_effects as e
        where stored.id is null and e.record_id = c.record_id and e.run_id = ${planId}::uuid
          and e.relation = 'records' and e.before is null
        limit 1
      ) as made on true
      order by c.record_id, c.action, c.place
    ), inserted as (
      insert into maintenance_changes (run_id, record_id, action, before, after, note, planned)
      select ${planId}::uuid, record_id, action, before, after, note, case when version is not null then
        jsonb_build_object(
          'version', version, 'status', status, 'pinned', pinned, 'layer', layer,
          'base_salience', base_salience, 'anchored_at', anchored_at
        )
      end
      from listed
      on conflict (run_id, record_id, action) do nothing
      returning record_id, action
    ), summed as (
      select action, type, sensitivity, scope, count(*) as changes, coalesce(sum(salience), 0) as salience,
        coalesce(sum(bytes), 0) as bytes, max(keeping) as keeping,
        (array_agg(record_id order by keeping desc nulls last))[1] as best
      from listed join inserted using (record_id, action)
      group by action, type, sensitivity, scope
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
