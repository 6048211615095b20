import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** SQL about a change `c` of a plan that is applied. */

type Selected = { only: readonly string[] | null; except: readonly string[] | null }

/** Whether the change is among those that an application selects. */
export function isSelected({ only, except }: Selected): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${only === null ? sql`true` : isNamed(only)} and not ${except === null ? sql`false` : isNamed(except)})`
}

function isNamed(names: readonly string[]): RawBuilder<SqlBool> {
  const named = sql`${sql.val([...names])}::text[]`
  return sql<SqlBool>`(c.action = any(${named}) or c.record_id::text = any(${named}))`
}

/** Whether the change was made by an application, or this one has found that it must not be made. */
export function isDoneBy(runId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from plan_applications as a join maintenance_changes as made on made.run_id = a.run_id
    where a.plan_id = c.run_id and made.record_id = c.record_id
      and (made.action = c.action or a.run_id = ${runId}::uuid and made.action = 'skipped')
  )`
}

/** Whether a row of `records` has the state that was noted with the change. */
export function hasSameLife(row: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    ${row}.version = (c.planned ->> 'version')::int4 and ${row}.status::text = c.planned ->> 'status'
    and ${row}.pinned = (c.planned ->> 'pinned')::bool and ${row}.layer::text = c.planned ->> 'layer'
    and ${row}.base_salience = (c.planned ->> 'base_salience')::float8
    and ${row}.anchored_at = (c.planned ->> 'anchored_at')::timestamptz
  )`
}
