import { type RawBuilder, sql } from 'kysely'

/** Fragments that build JSON as text from parts that are JSON text already. */

type Fragment = RawBuilder<unknown>

/** RFC 3339 in UTC with milliseconds, as in every response. */
export function time(instant: Fragment): Fragment {
  return sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

export function quoted(text: Fragment): Fragment {
  return sql`'"' || ${text} || '"'`
}

/** One row as an object on one line. */
export function compact(row: Fragment): Fragment {
  return sql`(select row_to_json(row) from (${row}) as row)`
}

/** Arguments for `concat`, as with `list`. */
export function member(name: string, text: Fragment): Fragment {
  return sql`${sql.lit(`,"${name}":`)}, ${text}`
}

export function list(name: string, items: Fragment): Fragment {
  return sql`${sql.lit(`,"${name}":[`)}, (${items}), ']'`
}

export function joined(parts: Fragment): Fragment {
  return sql`concat(${parts})`
}

export function optional(name: string, text: Fragment): Fragment {
  return sql`coalesce(${sql.lit(`,"${name}":`)} || (${text}), '')`
}

export function optionalList(name: string, items: Fragment): Fragment {
  return sql`coalesce(${sql.lit(`,"${name}":[`)} || (${items}) || ']', '')`
}
