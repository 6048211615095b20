import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isNamed } from '../db/fragments/named-changes.ts'

/** SQL about a change `c` of a plan that is applied. */

type Selected = { only: readonly string[] | null; except: readonly string[] | null }

/** Whether the change is among those that an application selects. */
export function isSelected({ only, except }: Selected): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${isNamed(only)} and not ${except === null ? sql`false` : isNamed(except)})`
}

/** Whether the change was made by an application, or this one has found that it cannot be made. One index probe, as `isDone`. */
export function isDoneBy(runId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from plan_applications as a join maintenance_changes as made on made.run_id = a.run_id
    where a.plan_id = c.run_id and made.record_id = c.record_id
      and (made.action = c.action or a.run_id = ${runId}::uuid and made.action in ('skipped', 'failed'))
    offset 0
  )`
}

/** How a row of `records` differs from the state that was noted with the change, in words; null where it does not. */
export function describeChange(row: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`case
    when ${row}.forgotten_at is not null then 'it was forgotten since'
    when ${row}.pinned and not (c.planned ->> 'pinned')::bool then 'it was pinned since'
    when ${row}.status::text <> c.planned ->> 'status' then 'it is ' || ${row}.status || ' now'
    when ${row}.layer::text <> c.planned ->> 'layer' then 'it is in the layer ' || ${row}.layer || ' now'
    when ${row}.base_salience <> (c.planned ->> 'base_salience')::float8
      or ${row}.anchored_at <> (c.planned ->> 'anchored_at')::timestamptz then 'its salience changed since'
    when ${row}.version <> (c.planned ->> 'version')::int4 then 'it changed since'
  end`
}
