import { type RawBuilder, sql } from 'kysely'

/**
 * Fragments that write JSON as text. `row_to_json` looks up the type of every column again for every row, and takes twice
 * as long.
 */

type Fragment = RawBuilder<unknown>
type Member = { text: string; value: Fragment; end: string }

/** RFC 3339 in UTC with milliseconds, as in every response. */
export function time(instant: Fragment): Fragment {
  return sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** A value that is JSON as PostgreSQL writes it: a number, or JSON itself. */
export function plain(name: string, value: Fragment): Member {
  return { text: `"${name}":`, value, end: '' }
}

export function flag(name: string, value: Fragment): Member {
  return plain(name, sql`(${value})::text`)
}

/** A word that needs no escape, such as an id, a time or a value of an enum. */
export function word(name: string, value: Fragment): Member {
  return { text: `"${name}":"`, value, end: '"' }
}

/** Any text, or a list of texts. */
export function text(name: string, value: Fragment): Member {
  return plain(name, sql`to_json(${value})`)
}

/** Any text, or null. */
export function orNull(name: string, value: Fragment): Member {
  return plain(name, sql`coalesce(to_json(${value})::text, 'null')`)
}

/** The members of an object, and behind them its optional ones. None of the members may be null. */
export function object(members: readonly Member[], ...optionalMembers: Fragment[]): RawBuilder<string> {
  let before = '{'
  const parts = members.flatMap(({ text, value, end }) => {
    const part = [sql.lit(before + text), value]
    before = `${end},`
    return part
  })
  const end = sql.lit(members.at(-1)?.end ?? '')
  // One `concat`: with `||` every part would copy all parts before it. It leaves out what is null.
  return sql<string>`concat(${sql.join([...parts, end, ...optionalMembers])}, '}')`
}

/** A member that is left out of an object when its value is null. */
export function optional(name: string, value: Fragment): Fragment {
  return sql`${sql.lit(`,"${name}":`)} || (${value})`
}

export function optionalWord(name: string, value: Fragment): Fragment {
  return sql`${sql.lit(`,"${name}":"`)} || (${value}) || '"'`
}

/** `items` are the items as text with commas between them; null for none. */
export function list(name: string, items: Fragment): Fragment {
  return sql`${sql.lit(`,"${name}":[`)}, (${items}), ']'`
}

export function optionalList(name: string, items: Fragment): Fragment {
  return sql`${sql.lit(`,"${name}":[`)} || (${items}) || ']'`
}
