import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { computeSalienceAt } from '../../db/fragments/lifecycle/salience.ts'
import { isNotPurged, isVisibleTo, openTo } from '../../db/fragments/visibility.ts'
import { toWebSearch } from '../../domain/words/text-query.ts'
import { type Filters, type Order, readsHiddenFields } from './list-filters.ts'
import type { PageQuery, Position } from './list-page.ts'

/**
 * Reads what a text asks for. This is a statement of its own: in the one that lists, the text would be read again for each row, which took
 * seconds for a long text, and the planner would not know how many rows have the words.
 */
export async function readWords(
  db: Database,
  textLanguage: string,
  text: string | undefined,
): Promise<string | undefined> {
  if (text === undefined) return undefined
  const { rows } = await sql<{ words: string }>`
    select websearch_to_tsquery(${textLanguage}::text::regconfig, ${toWebSearch(text)})::text as words
  `.execute(db)
  return rows[0]?.words
}

/** The value by which a page is sorted. */
export function selectSortValue(page: PageQuery): RawBuilder<number | Date> {
  return page.sort === 'salience' ? computeSalienceAt(page.asOf) : sql`${sql.ref(`r.${page.sort}`)}`
}

/** Selects the rows `r` that the caller sees and that match all filters, after the position of the cursor. */
export function selectMatching(db: Database, page: PageQuery) {
  const { filters, trust, after, conditions = [], isReadableOnly = false } = page
  const visible = isReadableOnly || readsHiddenFields(filters, page.sort) ? openTo(trust) : isVisibleTo(trust)
  return db
    .selectFrom('records as r')
    .$if(readsContents(filters), (qb) => qb.innerJoin('contents as c', 'c.record_id', 'r.id'))
    .where(visible)
    .where((eb) => eb.and([...listFilterConditions(page), ...listStateConditions(page), ...conditions]))
    .$if(after !== undefined, (qb) =>
      after ? qb.where(isAfterPosition(selectSortValue(page), after, page.order)) : qb,
    )
}

function readsContents({ tag, q }: Filters): boolean {
  return tag !== undefined || q !== undefined
}

function listFilterConditions({ filters, words }: PageQuery): RawBuilder<SqlBool>[] {
  const equal = (['type', 'scope', 'sensitivity', 'layer', 'memory_kind', 'status'] as const)
    .filter((name) => filters[name] !== undefined)
    .map((name) => sql<SqlBool>`${sql.ref(`r.${name}`)} = ${filters[name]}`)
  const { tag, created_after: after, created_before: before } = filters
  return [
    ...equal,
    ...(tag ? [sql<SqlBool>`c.tags @> ${tag}::text[]`] : []),
    ...(after === undefined ? [] : [sql<SqlBool>`r.created_at > ${after}::timestamptz`]),
    ...(before === undefined ? [] : [sql<SqlBool>`r.created_at < ${before}::timestamptz`]),
    ...(words === undefined ? [] : [sql<SqlBool>`c.search @@ ${words}::tsquery`]),
  ]
}

function listStateConditions({ filters, asOf }: PageQuery): RawBuilder<SqlBool>[] {
  const { min_salience: min, max_salience: max, updated_after: updated, pinned } = filters
  return [
    filters.include_forgotten ? isNotPurged(asOf) : sql<SqlBool>`r.forgotten_at is null`,
    ...(pinned === undefined ? [] : [sql<SqlBool>`r.pinned = ${pinned}`]),
    ...(updated === undefined ? [] : [sql<SqlBool>`r.updated_at > ${updated}::timestamptz`]),
    // The stored salience is an upper bound and has an index; the exact value decides.
    ...(min === undefined
      ? []
      : [sql<SqlBool>`r.salience >= ${min}`, sql<SqlBool>`${computeSalienceAt(asOf)} >= ${min}`]),
    ...(max === undefined ? [] : [sql<SqlBool>`${computeSalienceAt(asOf)} <= ${max}`]),
  ]
}

/** Written so that an index on the value alone can serve it. A row comparison would need an index that contains the id. */
function isAfterPosition(
  value: RawBuilder<number | Date>,
  after: Position,
  order: Order,
): RawBuilder<SqlBool> {
  const position =
    typeof after.value === 'string' ? sql`${after.value}::timestamptz` : sql`${after.value}::float8`
  return order === 'desc'
    ? sql<SqlBool>`${value} <= ${position} and (${value} < ${position} or r.id < ${after.id}::uuid)`
    : sql<SqlBool>`${value} >= ${position} and (${value} > ${position} or r.id > ${after.id}::uuid)`
}
