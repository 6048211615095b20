import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { namesNoHidden } from '../db/fragments/concealment.ts'
import { isVisibleTo, openTo } from '../db/fragments/visibility.ts'
import type { Trust } from '../domain/trust/caller.ts'
import { hasFullTrust } from '../domain/trust/trust.ts'

/**
 * The changes `c` of a plan `p` with the type, sensitivity and scope of their records: of the stored or deleted record, or of the
 * one that the plan would create.
 */
export const listedChanges = joinRecords(sql`maintenance_changes as c`)

function joinRecords(changes: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
  ${changes}
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after from run_effects as e
    where e.run_id = c.run_id and e.record_id = c.record_id and e.relation = 'records' and e.before is null
    limit 1
  ) as made on stored.id is null and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
`
}

/**
 * An edge to a hidden record is a change of that record. A record that the plan would create repeats its sources, which may have
 * moved out of the reader's sight since.
 */
export function isListed(trust: Trust): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    c.action <> 'failed' and ${isVisibleTo(trust)} and ${namesNoHidden(trust, sql`c.after ->> 'target_id'`)}
    and ${hasNoHiddenSource(trust)}
  )`
}

function hasNoHiddenSource(trust: Trust): RawBuilder<SqlBool> {
  if (hasFullTrust(trust)) return sql<SqlBool>`true`
  return sql<SqlBool>`(made.after is null or not exists (
    with recursive source as (
      ${listSources(sql`c.record_id`)} union ${listSources(sql`source.id`, sql`source cross join`)}
    )
    select from source join records as s on s.id = source.id where not ${openTo(trust, 's')}
  ))`
}

function listSources(derived: RawBuilder<unknown>, from = sql``): RawBuilder<unknown> {
  return sql`
    select e.id from ${from} lateral (
      select (e.after ->> 'source_id')::uuid as id from run_effects as e
      where e.run_id = c.run_id and e.record_id = ${derived} and e.relation = 'descents'
      offset 0
    ) as e`
}

/** Reading a plan of more changes would take too long, so less is read of it: see the uses of `isLarge`. */
const maxCounted = 2_000

/** Whether the plan `p` lists more changes than are counted one by one. */
export const isLarge = sql<SqlBool>`exists (
  select from maintenance_changes as c where c.run_id = p.id offset ${sql.lit(maxCounted)} limit 1
)`

/**
 * Whether a listed record that the caller may see has changed since the plan was prepared, and is not applied yet. A large plan is
 * compared with the records that changed last, forgotten ones apart.
 */
export function hasChanged(trust: Trust): RawBuilder<SqlBool> {
  const latest = sql`(
    (select id from records where forgotten_at is null order by updated_at desc, id desc limit ${sql.lit(maxCounted)})
    union all (select id from records where purge_at is not null order by purge_at desc limit ${sql.lit(maxCounted)})
  )`
  // The offset keeps the planner from comparing each of these records with each change.
  const latestChanges = sql`
    ${latest} as latest
    cross join lateral (
      select * from maintenance_changes where run_id = p.id and record_id = latest.id offset 0
    ) as c`
  return sql<SqlBool>`(case when ${isLarge}
    then ${existsMoved(trust, joinRecords(latestChanges))}
    else ${existsMoved(trust, listedChanges)}
  end)`
}

function existsMoved(trust: Trust, changes: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from ${changes}
    left join lateral (
      select e.before, e.before is not null as is_stored from run_effects as e
      where e.run_id = c.run_id and e.record_id = c.record_id and e.relation = 'records'
      order by e.id limit 1
    ) as kept on c.planned is null
    cross join lateral (select coalesce(c.planned, kept.before) as before) as planned
    where c.run_id = p.id and ${isListed(trust)} and not ${isDone} and (
      c.note is not distinct from ${erasedNote}
      or coalesce(kept.is_stored, true) <> (stored.id is not null)
      or stored.id is not null and (
        stored.version <> (planned.before ->> 'version')::int4
        or stored.status::text <> planned.before ->> 'status'
        or stored.pinned <> (planned.before ->> 'pinned')::bool
        or stored.layer::text <> planned.before ->> 'layer'
        or stored.base_salience <> (planned.before ->> 'base_salience')::float8
        or stored.anchored_at <> (planned.before ->> 'anchored_at')::timestamptz
        or (c.planned is not null or planned.before ? 'forgotten_at')
          and stored.forgotten_at is distinct from (planned.before ->> 'forgotten_at')::timestamptz
      )
    )
  )`
}

/** The note of a change whose record, or a source of it, was erased. */
export const erasedNote = 'it was erased'

/**
 * Whether an application of the plan made the change `c`, or found that it must not be made. The offset makes it an index
 * probe for each change. Without it, until the table is analysed again, the planner joins all changes of both runs in a nested
 * loop: reading a plan of 20,000 changes took 4 s.
 */
export const isDone = sql<SqlBool>`exists (
  select from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id and made_by.record_id = c.record_id and made_by.action in (c.action, 'skipped')
  offset 0
)`
