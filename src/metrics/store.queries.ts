import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'

export type TallyRow = { name: string; value: number }

/** All counters since the store was created. */
export async function sumTallies(db: Database): Promise<TallyRow[]> {
  return db
    .selectFrom('tallies')
    .select(['name', ({ fn }) => fn.sum<number>('value').as('value')])
    .groupBy('name')
    .orderBy('name')
    .execute()
}

export type JobRow = {
  job: string
  enabled: boolean
  interval_ms: number | null
  last_success_at: Date | null
  next_at: Date
  is_led: boolean
  queued: number
  running: number
}

export async function listJobs(db: Database, now: Date): Promise<JobRow[]> {
  const { rows } = await sql<JobRow>`
    select s.job, s.enabled, s.interval_ms, s.last_success_at, s.next_at,
      coalesce(l.holder is not null and l.expires_at > ${now}::timestamptz, false) as is_led,
      count(m.id) filter (where m.status = 'queued')::int4 as queued,
      count(m.id) filter (where m.status = 'running')::int4 as running
    from job_schedules as s
    left join job_leases as l on l.job = s.job
    left join maintenance_runs as m on m.job = s.job and m.status in ('queued', 'running')
    group by s.job, l.job
    order by s.job
  `.execute(db)
  return rows
}

export type BacklogRow = { work: string; waiting: number; oldest: Date | null }

/** Above this number, counting stops. */
const maxCounted = 100_000

/**
 * The work that is due, read from the list or index that its worker uses: the oldest is one probe, and counting has a
 * limit.
 */
export async function listBacklog(db: Database, now: Date, revisedBefore: Date): Promise<BacklogRow[]> {
  const { rows } = await sql<BacklogRow>`
    with due as (
      select 'forget_faded' as work, prune_at as since from (
        select prune_at from records
        where prune_at is not null and forgotten_at is null and status in ('active', 'challenged')
          and prune_at <= ${now}::timestamptz
        order by prune_at limit ${maxCounted}
      ) as faded
      union all
      select 'forget_revised', greatest(prune_at, anchored_at + (${now}::timestamptz - ${revisedBefore}::timestamptz))
      from (
        select prune_at, anchored_at from records
        where prune_at <= ${now}::timestamptz and anchored_at <= ${revisedBefore}::timestamptz
          and forgotten_at is null and status in ('invalidated', 'merged', 'superseded')
        order by anchored_at limit ${maxCounted}
      ) as revised
      union all
      select 'purge', purge_at from (
        select purge_at from records where purge_at is not null and purge_at <= ${now}::timestamptz
        order by purge_at limit ${maxCounted}
      ) as expired
      union all
      select 'embed', due_at from (
        select due_at from unembedded where due_at <= ${now}::timestamptz order by due_at limit ${maxCounted}
      ) as unread
      union all
      select 'compare', created_at from (
        select created_at from unsurprised order by created_at limit ${maxCounted}
      ) as uncompared
      union all
      select 'consolidate', due_at from (
        select due_at from unconsolidated where due_at <= ${now}::timestamptz limit ${maxCounted}
      ) as unread
      union all
      select 'update_text', listed_at from (select listed_at from outdated_texts limit ${maxCounted}) as outdated
    )
    select kind.work, count(due.since)::int4 as waiting, min(due.since) as oldest
    from unnest(array['forget_faded', 'forget_revised', 'purge', 'embed', 'compare', 'consolidate', 'update_text'])
      with ordinality as kind (work, place)
    left join due on due.work = kind.work
    group by kind.work, kind.place
    order by kind.place
  `.execute(db)
  return rows
}

export type SizeRow = { table: string; bytes: number; rows: number }

/** The size of each table with its indexes, and the last estimate of its rows. */
export async function listSizes(db: Database): Promise<SizeRow[]> {
  const { rows } = await sql<SizeRow>`
    select c.relname as table, sum(pg_total_relation_size(part.oid))::int8 as bytes, sum(greatest(part.reltuples, 0))::float8 as rows
    from pg_class as c
    left join pg_inherits as i on i.inhparent = c.oid
    join pg_class as part on part.oid = coalesce(i.inhrelid, c.oid)
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not like 'kysely%'
    group by c.relname
    order by c.relname
  `.execute(db)
  return rows
}
