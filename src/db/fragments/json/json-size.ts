import { type RawBuilder, sql } from 'kysely'
import type { Trust } from '../../../domain/trust/caller.ts'
import { openTo } from '../visibility.ts'

/** SQL for the length of stored JSON, so that an answer is limited before its JSON is read into memory. */

type Fragment = RawBuilder<unknown>

/** About the bytes of a JSON value as text. A compressed value that needs more than `most` in storage is not read for it. */
export function measureUpTo(json: Fragment, most: number): RawBuilder<number> {
  const stored = sql`pg_column_size(${json})`
  return sql<number>`case when ${stored} > ${sql.lit(most)} then ${stored} else ${measure(json)} end`
}

/** Whether a JSON value has at most so many bytes as text, by `measureUpTo`. */
export function isAtMost(json: Fragment, most: number): RawBuilder<boolean> {
  return sql<boolean>`${measureUpTo(json, most)} <= ${sql.lit(most)}`
}

/** About the bytes of a JSON value as text. Only a compressed value is read for it. */
export function measure(json: Fragment): RawBuilder<number> {
  return sql<number>`coalesce(case when pg_column_compression(${json}) is null then pg_column_size(${json})
    else octet_length(${json}::text) end, 0)::int8`
}

/** About the bytes of the content `c` of a record as JSON. */
export const contentBytes = sql<number>`(${sql.join(
  ['payload', 'provenance', 'interpretation'].map((name) => measure(sql.ref(`c.${name}`))),
  sql` + `,
)})`

/** The same of a record `r` as the caller is shown it: what is redacted counts nothing. */
export function measureShown(trust: Trust): RawBuilder<number> {
  return sql<number>`case when ${openTo(trust)} then ${contentBytes} else 0 end`
}

/** The sum over the rows before each row, in an order without ties. */
export function sumBefore(bytes: Fragment, order: Fragment): RawBuilder<number> {
  return sql<number>`coalesce(sum(${bytes}) over (order by ${order} rows between unbounded preceding and 1 preceding), 0)`
}

/** The bytes of content after which an answer ends that holds whole records. */
export const maxAnswerBytes = 16 * 1_024 ** 2
