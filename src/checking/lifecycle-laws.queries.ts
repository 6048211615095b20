import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { isLogged } from '../db/fragments/history-cuts.ts'
import { computeSalienceAt, computeSalienceOf } from '../db/fragments/lifecycle/salience.ts'
import { findBreaches } from './breaches.queries.ts'
import type { Finding } from './law.ts'

/** The tolerance for two implementations of one curve, and for a float that was JSON in between. */
const tiny = sql.lit(1e-9)

/**
 * The tolerance for a whole salience. Limited, because PostgreSQL raises an error when the largest or smallest float
 * is multiplied.
 */
const inexactness = sql`least(greatest(r.base_salience, 1), 1e300) * ${tiny}`

/** A record with this salience or less has faded away. */
const faded = sql.lit(0.001)

/** The clocks of machines differ. */
const clockTolerance = sql.lit('5 minutes')

/**
 * Stored salience is between the exact one and the base: every raise is stored, and time only lowers it. Otherwise an
 * index scan would miss the most salient records.
 */
export async function findWrongSaliences(db: Database, now: Date): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, case when r.pinned then r.salience = r.base_salience
        else ${computeSalienceAt(now)} - r.salience <= ${inexactness} and r.salience - r.base_salience <= ${inexactness} end
      from records as r
    `,
  )
}

export async function findWrongExpiries(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, case when r.max_age_seconds = 0 then r.expires_at is null
        else r.expires_at = r.created_at + make_interval(secs => r.max_age_seconds) end
      from records as r
    `,
  )
}

/**
 * `prune_at` is the first millisecond at which the salience has fallen to the threshold; null when it never does, or
 * may not.
 */
export async function findWrongPruneMoments(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, case
        when r.pinned or r.deletion_policy <> 'auto_prune' then r.prune_at is null
        when r.base_salience <= ${faded} then r.prune_at = least(r.anchored_at, r.expires_at)
        when r.prune_at is null then ${computeSalienceOf('r', sql`timestamptz '9999-12-31 00:00:00+00'`)} > ${faded} * (1 - ${tiny})
        else ${computeSalienceOf('r', sql`r.prune_at`)} <= ${faded} * (1 + ${tiny})
          and ${computeSalienceOf('r', sql`r.prune_at - interval '2 milliseconds'`)} >= ${faded} * (1 - ${tiny}) end
      from records as r
    `,
  )
}

export async function findFutureTimes(db: Database, now: Date): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, greatest(r.created_at, r.updated_at, r.anchored_at, r.last_reinforced_at, r.last_accessed_at,
          r.forgotten_at) <= ${now}::timestamptz + ${clockTolerance}::interval
      from records as r
    `,
  )
}

/**
 * A record with policy `never` is not forgotten, a forgotten record has a log entry, and `purge_at` is not before
 * `forgotten_at`.
 */
export async function findWrongForgettings(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, r.deletion_policy <> 'never' and r.purge_at >= r.forgotten_at
        and (r.forgotten_reason not in ('pruned', 'archived', 'budget') or (r.deletion_policy = 'auto_prune' and not r.pinned))
        and (not ${isLogged(sql`r.forgotten_at`)}
          or exists (select from audit_entries as a where a.record_id = r.id and a.action in ('delete', 'archive')))
      from records as r
      where r.forgotten_at is not null
    `,
  )
}

/** The sizes that triggers count for budgets are those of the records. */
export async function findWrongSizes(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      with counted as (
        select scope, type, layer, is_guarded, sum(records) as records, sum(bytes) as bytes
        from scope_sizes group by 1, 2, 3, 4
      ), actual as (
        select r.scope, r.type, r.layer, r.pinned or r.deletion_policy <> 'auto_prune' as is_guarded,
          count(*) as records, sum(record_bytes(c.tags, c.payload, c.provenance, c.interpretation)) as bytes
        from records as r join contents as c on c.record_id = r.id
        where r.forgotten_at is null
        group by 1, 2, 3, 4
      )
      select concat(type, ' ', layer), coalesce(counted.records, 0) = coalesce(actual.records, 0)
        and coalesce(counted.bytes, 0) = coalesce(actual.bytes, 0)
      from counted full join actual using (scope, type, layer, is_guarded)
    `,
  )
}

/** A replaced record has no salience. */
export async function findSalientHistory(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, r.base_salience = 0 and r.salience = 0
        and (r.type <> 'semantic' or c.payload #>> '{revision,status}' = 'retracted')
      from ${replaced}
    `,
  )
}

/**
 * A superseded or merged record has an edge to its successor, as long as the successor exists. Of a record that was replaced
 * before an import, the other store may have erased or purged the successor, and an export does not say so.
 */
export async function findLostSuccessors(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, exists (
        select from relations as e
        where e.source_id = r.id and (e.predicate = 'superseded_by' or r.status = 'merged' and e.predicate = 'derives')
      ) or exists (
        select from departures as d
        where d.type = r.type and coalesce(d.id::text = c.payload #>> '{revision,superseded_by}', true)
      ) or moved.is_imported
      from ${replaced}
    `,
  )
}

/**
 * Records that a revision, a merge or a cluster replaced, by their newest status change. An earlier version let a
 * status call set these statuses without a successor; another status call makes such a record active again.
 */
const replaced = sql`
  records as r
  join contents as c on c.record_id = r.id
  cross join lateral (
    select s.step, coalesce(s.via ? 'imported_by', false) as is_imported
    from status_changes as s where s.record_id = r.id order by s.id desc limit 1
  ) as moved
  where r.status in ('superseded', 'merged') and moved.step in ('supersede', 'merge', 'cluster')`
