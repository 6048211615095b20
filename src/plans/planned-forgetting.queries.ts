import { sql } from 'kysely'
import { time } from '../db/fragments/json/json-text.ts'
import {
  decayActor,
  describeBudgetForgetting,
  overBudgetRationale,
  prunedRationale,
} from '../db/fragments/lifecycle/forgetting.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Application } from './planned-changes.queries.ts'
import { describeChange, isDoneBy, isSelected } from './selection.queries.ts'

type Forgetting = Application & { runId: string; now: Date; after: string; limit: number }
export type Forgotten = { applied: number; skipped: number; last: string | null }

/**
 * Forgets the next of the records that a plan only forgets, as the job would: their log and the changes of the run are
 * written by the same statement, with the times of the run. A record that has changed since, or may not be forgotten any more, is
 * listed as skipped.
 */
export async function forgetPlanned(tx: Transaction, forgetting: Forgetting): Promise<Forgotten> {
  const { planId, runId, plannedAt, now, after, limit } = forgetting
  const { rows } = await sql<Forgotten>`
    with due as materialized (
      select c.* from maintenance_changes as c
      where c.run_id = ${planId}::uuid and c.record_id > ${after}::uuid and c.planned is not null
      order by c.record_id, c.action
      limit ${limit}
    ), chosen as materialized (
      select c.* from due as c where ${isSelected(forgetting)} and not ${isDoneBy(runId)}
    ), locked as materialized (
      select r.id, ${describeChange(sql`r`)} as change, not r.pinned and r.deletion_policy = 'auto_prune'
        and (c.action <> 'prune' or r.prune_at <= ${plannedAt}::timestamptz) as is_due
      from chosen as c join records as r on r.id = c.record_id
      order by r.id
      for update of r
    ), judged as materialized (
      select c.*, case
        when l.id is null then 'it does not exist any more'
        when l.change is not null then l.change
        when not l.is_due then 'it is not to be forgotten any more'
      end as reason
      from chosen as c left join locked as l on l.id = c.record_id
    ), forgotten as (
      update records as r
      set forgotten_at = ${now}::timestamptz, forgotten_reason = case j.action when 'forget' then 'budget' else 'pruned' end,
        forgotten_by = ${decayActor}, forgotten_run_id = ${runId}::uuid,
        purge_at = ${purgeAt(now)}
      from judged as j where r.id = j.record_id and j.reason is null
      returning r.id
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select f.id, ${runId}::uuid, ${now}::timestamptz, 'delete', ${decayActor},
        case j.action when 'forget' then ${overBudgetRationale} else ${prunedRationale} end,
        case j.action when 'forget' then ${describeBudgetForgetting(now, sql`j.before -> 'keeping'`)} end
      from forgotten as f join judged as j on j.record_id = f.id
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after, note)
      select ${runId}::uuid, record_id, case when reason is null then action else 'skipped' end,
        case when reason is null then before end,
        case when reason is null then j.after || jsonb_build_object(
          'forgotten_at', ${time(sql`${now}::timestamptz`)}, 'purge_at', ${time(purgeAt(now))}) end,
        coalesce(reason, note)
      from judged as j
      on conflict (run_id, record_id, action) do nothing
    )
    select (select count(*) from judged where reason is null) as applied,
      (select count(*) from judged where reason is not null) as skipped,
      (select record_id from due order by record_id desc limit 1) as last
  `.execute(tx)
  return rows[0] ?? { applied: 0, skipped: 0, last: null }
}

/** The retention of a forgotten record begins when the plan is applied, and is as long as it was planned. */
function purgeAt(now: Date) {
  return sql`(${now}::timestamptz
    + ((j.after ->> 'purge_at')::timestamptz - (j.after ->> 'forgotten_at')::timestamptz))`
}

/** The first record after an id that the plan only forgets. */
export async function findNextForgotten(
  tx: Transaction,
  planId: string,
  after: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ record_id: string }>`
    select record_id from maintenance_changes
    where run_id = ${planId}::uuid and record_id > ${after}::uuid and planned is not null
    order by record_id limit 1
  `.execute(tx)
  return rows[0]?.record_id
}
