import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { findBreaches } from './breaches.queries.ts'
import type { Finding } from './law.ts'

/** A listed record is an episode, and an episode without any consolidation is listed. */
export async function findUnlistedEpisodes(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select coalesce(r.id, u.record_id), r.id is not null and (u.record_id is not null or r.version > 1
        or r.pinned or r.forgotten_at is not null or r.status not in ('active', 'challenged')
        or r.base_salience <= 0.05)
      from (select id, version, pinned, forgotten_at, status, base_salience from records where type = 'episodic') as r
      full join (
        select record_id from unconsolidated group by record_id having bool_or(stage = 'episodic') or
          not exists (select from records where id = record_id and type = 'episodic')
      ) as u on u.record_id = r.id
    `,
  )
}

/** A running run is the one that its job is leased for, and a lease without a holder has no run. */
export async function findStrayRuns(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select coalesce(m.job, l.job), case when l.run_id is null then m.id is null else m.id = l.run_id end
        and (l.holder is null) = (l.run_id is null)
      from job_leases as l
      full join (select id, job from maintenance_runs where status = 'running') as m on m.job = l.job
    `,
  )
}

/** A stored answer expires after it was created, has a 2xx status and a JSON object or no body. */
export async function findWrongStoredAnswers(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select k.key, k.expires_at >= k.created_at and k.status between 200 and 299
        and (k.body is null or jsonb_typeof(k.body::jsonb) = 'object')
      from idempotency_keys as k
    `,
  )
}

const logs = ['audit_entries', 'status_changes']

/** PostgreSQL enforces all its guards: no invalid index, no disabled trigger, no unchecked constraint. */
export async function findDisabledGuards(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select c.conname, c.convalidated
      from pg_constraint as c where c.connamespace = current_schema()::regnamespace
      union all
      select i.indexrelid::regclass::text, i.indisvalid
      from pg_index as i join pg_class as t on t.oid = i.indrelid
      where t.relnamespace = current_schema()::regnamespace
      union all
      select g.tgname, g.tgenabled = 'O'
      from pg_trigger as g join pg_class as t on t.oid = g.tgrelid
      where t.relnamespace = current_schema()::regnamespace
      union all
      select part.oid::regclass || ' is append-only', (
        select count(*) = 2 from pg_trigger as g
        where g.tgrelid = part.oid and g.tgname in (log || '_append_only', log || '_kept')
      )
      from unnest(${logs}::text[]) as log
      cross join lateral (
        select log::regclass as oid
        union all select i.inhrelid from pg_inherits as i where i.inhparent = log::regclass
      ) as part
    `,
  )
}
