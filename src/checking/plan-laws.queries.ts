import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { isLogged } from '../db/fragments/history-cuts.ts'
import { findBreaches } from './breaches.queries.ts'
import type { Finding } from './law.ts'

/** A plan is a dry run. Once it is prepared, its groups count the changes that it lists. */
export async function findMiscountedPlans(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select p.id, m.dry_run and (m.status <> 'succeeded' or grouped.changes = listed.changes)
      from plans as p join maintenance_runs as m on m.id = p.id
      cross join lateral (
        select coalesce(sum(g.changes), 0) as changes from plan_groups as g where g.plan_id = p.id
      ) as grouped
      cross join lateral (
        select count(*) as changes from maintenance_changes as c where c.run_id = p.id and c.action <> 'failed'
      ) as listed
    `,
  )
}

/** Each change that an application of a plan made is listed by the plan, and was made by one application. */
export async function findUnplannedChanges(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select made.record_id, count(*) = 1 and bool_and(planned.run_id is not null)
      from plan_applications as a
      join maintenance_changes as made on made.run_id = a.run_id and made.action not in ('failed', 'skipped')
      left join maintenance_changes as planned on planned.run_id = a.plan_id
        and planned.record_id = made.record_id and planned.action = made.action
      group by a.plan_id, made.record_id, made.action
    `,
  )
}

/** Rows are kept of a plan, or of a run or a revision that changed something. */
export async function findStrayEffects(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select e.run_id, not coalesce(m.dry_run, false) or p.id is not null
      from (select run_id from run_effects group by run_id) as e
      left join maintenance_runs as m on m.id = e.run_id
      left join plans as p on p.id = e.run_id
    `,
  )
}

/** Each change that an undo lists as taken back is in the log of the record. */
export async function findUnloggedUndos(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select c.record_id, exists (
        select from audit_entries as a
        where a.record_id = c.record_id and a.run_id = c.run_id and a.action = 'undo'
      ) or not ${isLogged(sql`m.started_at`)}
      from maintenance_runs as m join maintenance_changes as c on c.run_id = m.id and c.action = 'undo'
      where m.job = 'undo' and not m.dry_run
    `,
  )
}
