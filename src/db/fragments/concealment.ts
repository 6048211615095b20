import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Trust } from '../../domain/trust/caller.ts'
import { hasFullTrust } from '../../domain/trust/trust.ts'
import { openTo } from './visibility.ts'

/**
 * SQL for what a caller may read in the log, evidence and history of a visible record. They can name hidden records.
 * An entry that another record caused is shown only to a caller who sees that other record whole.
 */

type Fragment = RawBuilder<unknown>

const uuidPattern = sql.lit('[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}')

/** The ids in a text that belong to stored or removed records which the caller does not see whole. */
function selectHiddenIds(trust: Trust, text: Fragment): Fragment {
  return sql`
    select h.id from regexp_matches(${text}, ${uuidPattern}, 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope from records as n where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope from departures as n where n.id = named.id[1]::uuid
    ) as h
    where not ${openTo(trust, 'h')}
  `
}

export function namesNoHidden(trust: Trust, text: Fragment): RawBuilder<SqlBool> {
  if (hasFullTrust(trust)) return sql<SqlBool>`true`
  return sql<SqlBool>`not exists (${selectHiddenIds(trust, text)})`
}

/** Edges that are written in the transaction of the change they belong to, with its instant. */
const changing = ['derived_from', 'derives', 'contested_by', 'superseded_by']

/** Edges that are read for each predicate, those to the newest records first, in the order of their primary key. */
const maxEdges = 1_000

/** The instants at which hidden records changed `record`. */
function selectHiddenInstants(trust: Trust, record: Fragment): Fragment {
  return sql`
    select edge.created_at
    from unnest(${changing}::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at from relations as e
      where e.source_id = ${record} and e.predicate = kind.predicate
      order by e.target_id desc
      limit ${sql.lit(maxEdges)}
    ) as edge
    join records as h on h.id = edge.target_id
    where not ${openTo(trust, 'h')}
  `
}

/**
 * Whether an entry `a` of the log of `record` is shown. An entry that names a hidden record belongs to that record.
 * So does an entry that was written together with an edge to it, such as the confirmation of a fact.
 */
export function isEntryShown(trust: Trust, record: Fragment): RawBuilder<SqlBool> {
  if (hasFullTrust(trust)) return sql<SqlBool>`true`
  const words = sql`concat_ws(' ', a.rationale, a.changes)`
  return sql<SqlBool>`(
    ${namesNoHidden(trust, words)} and (a.action = 'create' or a.at not in (${selectHiddenInstants(trust, record)}))
  )`
}

/**
 * Whether a change `s` in the status history of `record` is shown whole. The status of a record is visible, so the
 * change itself is always shown; its actor and reason belong to the hidden record that caused it.
 */
export function isMoveShown(trust: Trust, record: Fragment): RawBuilder<SqlBool> {
  if (hasFullTrust(trust)) return sql<SqlBool>`true`
  const entries = sql`select from audit_entries as a where a.record_id = ${record} and a.at = s.at`
  return sql<SqlBool>`(
    ${namesNoHidden(trust, sql`s.reason`)} and s.at not in (${selectHiddenInstants(trust, record)})
    and not exists (${entries} and not ${namesNoHidden(trust, sql`a.changes::text`)})
  )`
}

/** The actor that is shown for a change that is not shown whole. */
export const hiddenActor = 'hidden'

/**
 * A JSON object without hidden records: members that name one are left out, and lists lose such items. Null when
 * nothing is left.
 */
export function showMembers(trust: Trust, object: Fragment): RawBuilder<unknown> {
  if (hasFullTrust(trust)) return sql`${object}`
  const items = sql`(
    select coalesce(jsonb_agg(item.value order by item.place), '[]')
    from jsonb_array_elements(each.value) with ordinality as item (value, place)
    where ${namesNoHidden(trust, sql`item.value::text`)}
  )`
  return sql`(case when ${namesNoHidden(trust, sql`${object}::text`)} then ${object} else (
    select jsonb_object_agg(each.key, case jsonb_typeof(each.value) when 'array' then ${items} else each.value end)
    from jsonb_each(${object}) as each
    where jsonb_typeof(each.value) = 'array' or ${namesNoHidden(trust, sql`each.value::text`)}
  ) end)`
}

/**
 * A change of a run or a plan, without its place among the records that a budget forgot: rank and line depend on
 * records above the ceiling of the caller.
 */
export function removePlace({ maxSensitivity }: Trust, after: Fragment): RawBuilder<unknown> {
  return maxSensitivity === 'hyper' ? after : sql`(${after} - array['rank', 'line'])`
}

/**
 * The options of a run, in which `only` and `except` keep actions and the ids of records that the caller sees whole.
 * Ids of no record are left out too: otherwise the missing ones would show which ids belong to hidden records.
 */
export function showSelections(trust: Trust, options: Fragment): RawBuilder<unknown> {
  if (hasFullTrust(trust)) return sql`${options}`
  const isSeen = (table: string) =>
    sql`exists (select from ${sql.table(table)} as n where n.id = item.name::uuid and ${openTo(trust, 'n')})`
  const names = sql`(
    select coalesce(jsonb_agg(item.name order by item.place), '[]')
    from jsonb_array_elements_text(each.value) with ordinality as item (name, place)
    where case when item.name ~* ${uuidPattern} then ${isSeen('records')} or ${isSeen('departures')} else true end
  )`
  return sql`(
    select coalesce(
      jsonb_object_agg(each.key, case when each.key in ('only', 'except') then ${names} else each.value end), '{}'
    )
    from jsonb_each(${options}) as each
  )`
}
