import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { isNotPurged, openTo } from '../../db/fragments/visibility.ts'
import type { RecordType } from '../../domain/schemas/vocabulary.ts'
import type { Trust } from '../../domain/trust/caller.ts'
import { buildExportLine } from './export-line.queries.ts'

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

/** The ids of one page: above `after`, up to `to`. Both are undefined where there is no bound. */
export type Page = { after: string | undefined; to: string | undefined; isLast: boolean }

/** Records that are scanned for one page, before the filters, so that no page takes long. */
const maxScanned = 500

/**
 * Leaves room for records that were stored among them meanwhile. Without a limit the planner would sometimes read all
 * contents.
 */
const maxWritten = 2 * maxScanned

/** Bytes of the stored contents in one page. Compressed, they can be a hundredth of their text. */
const maxBytes = 256 * 1_024

/** Finds the end of the next page. It takes a twentieth of the time of writing its lines. */
export async function findPage(db: Database, after: string | undefined, selection: Selection): Promise<Page> {
  const { rows } = await sql<{ to: string | null; isLast: boolean }>`
    with scanned as materialized (
      select id, scope, type, sensitivity, updated_at, forgotten_at, purge_at from records
      where ${isAfter(sql`id`, after)} order by id limit ${sql.lit(maxScanned)}
    ), requested as materialized (
      select r.id, sum(pg_column_size(c.payload)) over (order by r.id) - pg_column_size(c.payload) as bytes_before
      from scanned as r join contents as c on c.record_id = r.id
      where ${buildConditions(selection)}
    ), page as materialized (
      select id from requested where bytes_before < ${sql.lit(maxBytes)}
    ), place as (
      select (select count(*) from page) < (select count(*) from requested) as is_cut
    )
    select case when is_cut then (select id from page order by id desc limit 1)
        else (select id from scanned order by id desc limit 1) end as to,
      not is_cut and (select count(*) from scanned) < ${sql.lit(maxScanned)} as "isLast"
    from place
  `.execute(db)
  const { to, isLast = true } = rows[0] ?? {}
  return { after, to: to ?? after, isLast }
}

/**
 * The records of a page as lines of JSON, which PostgreSQL writes, so no line becomes an object here. One statement,
 * so each record and all its parts are read at one moment.
 */
export async function readExportLines(
  db: Database,
  { after, to }: Page,
  selection: Selection,
): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    with page as materialized (
      select r.id from records as r
      where ${isAfter(sql`r.id`, after)} and r.id <= ${to ?? null}::uuid and ${buildConditions(selection)}
      order by r.id limit ${sql.lit(maxWritten)}
    ), written as (
      select r.id, ${buildExportLine(selection)} as line
      from page join records as r on r.id = page.id join contents as c on c.record_id = r.id
    )
    select coalesce(string_agg(line, chr(10) order by id) || chr(10), '') as text from written
  `.execute(db)
  return rows[0]?.text ?? ''
}

/** Without `after` there is no bound: an earlier version stored the nil UUID, and no record is below it. */
function isAfter(id: Fragment, after: string | undefined): Fragment {
  return after === undefined ? sql`true` : sql`${id} > ${after}::uuid`
}

function buildConditions({ trust, now, filters }: Selection): Fragment {
  const { scope, type, updated_after: after, include_forgotten: withForgotten } = filters
  const conditions: Fragment[] = [
    openTo(trust),
    withForgotten ? isNotPurged(now) : sql`r.forgotten_at is null`,
    ...(scope === undefined ? [] : [sql`r.scope = ${scope}`]),
    ...(type === undefined ? [] : [sql`r.type = ${type}`]),
    ...(after === undefined ? [] : [sql`r.updated_at > ${after}::timestamptz`]),
  ]
  return sql.join(conditions, sql` and `)
}
