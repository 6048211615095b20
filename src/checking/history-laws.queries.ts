import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { isLogged } from '../db/fragments/history-cuts.ts'
import { mayBecome, mayBeRestored } from '../domain/lifecycle/status.ts'
import { computeImportance } from '../lifecycle/index.ts'
import { findBreaches } from './breaches.queries.ts'
import type { Finding } from './law.ts'

const statuses = ['active', 'challenged', 'invalidated', 'merged', 'superseded'] as const
const movesBy = (isOpen: typeof mayBecome) =>
  statuses.flatMap((from) =>
    statuses.filter((to) => isOpen(from, to)).map((to) => sql`(${sql.lit(from)}, ${sql.lit(to)})`),
  )
const moves = movesBy(mayBecome)
const restored = movesBy(mayBeRestored)

/**
 * Each change of a record that is younger than the log is a version with an audit entry. Changes without a version, such
 * as a pruning, may have one too.
 */
export async function findUnloggedVersions(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, coalesce(a.entries, 0) >= r.version or not ${isLogged(sql`r.created_at`)}
      from records as r
      left join (select record_id, count(*) as entries from audit_entries group by record_id) as a
        on a.record_id = r.id
    `,
  )
}

/** Only the outcome of an episode changes after it was written. */
export async function findRewrittenEpisodes(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, not exists (
        select from audit_entries as a, jsonb_object_keys(a.changes) as field
        where a.record_id = r.id and jsonb_typeof(a.changes) = 'object'
          and field like 'payload%' and field <> 'payload.outcome'
      )
      from records as r
      where r.type = 'episodic' and r.version > 1
    `,
  )
}

/**
 * Each status change starts with the status before it and is allowed, and the last leads to the status of the record.
 */
export async function findBrokenStatusChains(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select coalesce(r.id, chain.record_id), coalesce(chain.is_whole, true)
        and (r.id is null or r.status::text = coalesce(chain.last,
          case when r.status = 'challenged' then 'challenged' else 'active' end))
      from records as r
      full join (
        select record_id, (array_agg(new::text order by id desc))[1] as last,
          bool_and(
            case when before is null then old in ('active', 'challenged') else old = before end
            and ((old::text, new::text) in (${sql.join(moves)})
              or step in ('revert', 'undo') and (old::text, new::text) in (${sql.join(restored)}))
          ) as is_whole
        from (
          select record_id, id, old, new, step, lag(new) over (partition by record_id order by id) as before
          from status_changes
        ) as moved
        group by record_id
      ) as chain on chain.record_id = r.id
    `,
  )
}

/** The old part of an importance history may be deleted. The rest has no gap and ends at the stored importance. */
export async function findBrokenScoreChains(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select chain.record_id, chain.is_whole and (r.id is null or r.importance = chain.last)
      from (
        select record_id, (array_agg(new order by id desc))[1] as last,
          bool_and((before is null or old = before) and old <> new) as is_whole
        from (
          select record_id, id, old, new, lag(new) over (partition by record_id order by id) as before
          from importance_history
        ) as moved
        group by record_id
      ) as chain
      left join records as r on r.id = chain.record_id
    `,
  )
}

/**
 * Time alone changes an importance by less than the first value in the first day, and by less than the second per day
 * after it.
 */
const firstDay = 0.08
const eachDay = 0.01

/**
 * Whether the run `m` has refreshed the importance of all records. One that applied a plan wrote what was planned, and what an
 * undo took back is as old as before.
 */
const hasRefreshed = sql`
  m.job in ('dream', 'refresh_importance') and m.status = 'succeeded' and not m.dry_run and m.scope is null
  and not m.options ? 'plan_id' and coalesce(m.options -> 'steps' ? 'forget', true)
  and not exists (
    select from maintenance_runs as undone where undone.job = 'undo' and undone.options ->> 'run_id' = m.id::text
  )`

/**
 * The stored importance is near the exact one: a refresh corrects the effect of time, and everything else that
 * happens to a record updates it at once. An imported record has the importance of where it comes from, and one that came back
 * has that of when it was forgotten, until the next refresh.
 */
export async function findStaleScores(db: Database, now: Date): Promise<Finding> {
  const { join, importance } = computeImportance(now)
  return findBreaches(
    db,
    sql`
      select r.id, abs(r.importance - (${importance})) <= ${sql.lit(firstDay)}::float8 + ${sql.lit(eachDay)}::float8
        * date_part('epoch', ${now}::timestamptz - greatest(r.created_at, refreshed.at)) / 86400
      from records as r ${join}
      cross join (select max(m.started_at) as at from maintenance_runs as m where ${hasRefreshed}) as refreshed
      where r.forgotten_at is null and not r.pinned and coalesce(r.restored_at < refreshed.at, r.restored_at is null)
        and not exists (
          select from audit_entries as a where a.record_id = r.id and a.via ? 'imported_by'
        )
    `,
  )
}

/** The log has at most as many accesses as were counted. It may have fewer, because old entries are folded. */
export async function findMiscountedAccesses(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, r.served_count <= r.access_count and (r.last_accessed_at is null) = (r.access_count = 0)
        and coalesce(l.times, 0) <= r.access_count and coalesce(l.served, 0) <= r.served_count
        and (l.latest is null or l.latest <= r.last_accessed_at)
      from records as r
      left join (
        select record_id, count(*) as times, count(*) filter (where kind = 'served') as served, max(at) as latest
        from access_log group by record_id
      ) as l on l.record_id = r.id
    `,
  )
}
