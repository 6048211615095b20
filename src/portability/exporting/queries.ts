import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { openTo } from '../../db/visibility.ts'
import type { Trust } from '../../kernel/caller.ts'
import type { RecordType } from '../../records/vocabulary.ts'
import { lineOf } from './lines/queries.ts'

type Fragment = RawBuilder<unknown>

export type Selection = {
  trust: Trust
  now: Date
  filters: {
    scope?: string
    type?: RecordType
    updated_after?: string
    include_forgotten?: boolean
    embeddings?: boolean
  }
}

/** Lines as one text, and where the next page goes on; null when this was the last. */
export type Page = { text: string; next: string | null }

/** As many records are looked at for a page, whatever the filters leave of them: no page takes long. */
const mostScanned = 500

/** Contents of a page, as they are stored, which may be a hundredth of what they are in text. */
const mostBytes = 256 * 1_024

/**
 * The next records behind an id, each a line of JSON that PostgreSQL writes: no line becomes an object on its way. One
 * statement, so each record is as it was at one moment, with all that belongs to it.
 */
export async function readPage(db: Database, after: string, selection: Selection): Promise<Page> {
  const { rows } = await sql<Page>`
    with scanned as materialized (
      select id, scope, type, sensitivity, updated_at, forgotten_at from records
      where id > ${after}::uuid order by id limit ${sql.lit(mostScanned)}
    ), wanted as materialized (
      select r.id, sum(pg_column_size(c.payload)) over (order by r.id) - pg_column_size(c.payload) as bytes_before
      from scanned as r join contents as c on c.record_id = r.id
      where ${conditionsOf(selection)}
    ), page as materialized (
      select id from wanted where bytes_before < ${sql.lit(mostBytes)}
    ), place as (
      select case
        when (select count(*) from page) < (select count(*) from wanted) then (select id from page order by id desc limit 1)
        when (select count(*) from scanned) = ${sql.lit(mostScanned)} then (select id from scanned order by id desc limit 1)
      end as next
    ), written as (
      select r.id, ${lineOf(selection)} as line
      from page join records as r on r.id = page.id join contents as c on c.record_id = r.id
    )
    select coalesce((select string_agg(line, chr(10) order by id) || chr(10) from written), '') as text, next from place
  `.execute(db)
  return rows[0] ?? { text: '', next: null }
}

function conditionsOf({ trust, filters }: Selection): Fragment {
  const { scope, type, updated_after: after, include_forgotten: withForgotten } = filters
  const conditions: Fragment[] = [
    openTo(trust),
    ...(withForgotten ? [] : [sql`r.forgotten_at is null`]),
    ...(scope === undefined ? [] : [sql`r.scope = ${scope}`]),
    ...(type === undefined ? [] : [sql`r.type = ${type}`]),
    ...(after === undefined ? [] : [sql`r.updated_at > ${after}::timestamptz`]),
  ]
  return sql.join(conditions, sql` and `)
}
