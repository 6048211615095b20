import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { salienceAt } from '../../db/salience.ts'
import { openTo, visibleTo } from '../../db/visibility.ts'
import type { Trust } from '../../kernel/caller.ts'
import { selectStored } from '../queries.ts'
import type { StoredRecord } from '../rows.ts'
import { type Filters, type Order, readsHiddenFields, type Sort } from './filters.ts'

/** Where a page ends: the last value of its order, and the id that breaks ties. */
export type Position = { value: number | string; id: string }

export type Page = {
  filters: Filters
  trust: Trust
  /** Salience is answered as of this instant on every page, so that paging is stable while all fades. */
  asOf: Date
  textLanguage: string
  sort: Sort
  order: Order
  after?: Position
  limit: number
}

export type Positioned = StoredRecord & { position: number | Date }

/**
 * The stored salience is an upper bound of the exact one, so the least exact value among the page's number of
 * highest stored ones is a floor: what is stored below it cannot belong to the page. Asked for by itself,
 * because a planner that is given the floor as a number knows how few rows lie above it.
 */
export async function findSalienceFloor(db: Database, page: Page): Promise<number> {
  const highest = matching(db, page)
    .select(rankedBy(page).as('exact'))
    .orderBy('l.salience', 'desc')
    .orderBy('r.id', 'desc')
    .limit(page.limit)
  const found = await db
    .selectFrom(highest.as('highest'))
    .select((eb) => [eb.fn.min('exact').as('floor'), eb.fn.countAll<number>().as('count')])
    .executeTakeFirstOrThrow()
  return found.count < page.limit ? 0 : Number(found.floor)
}

/** The page is cut before anything wide is read. */
export async function listRecords(db: Database, page: Page, salienceFloor: number): Promise<Positioned[]> {
  const cut = matching(db, page)
    .$if(salienceFloor > 0, (qb) => qb.where('l.salience', '>=', salienceFloor))
    .select('r.id')
    .select(rankedBy(page).as('position'))
    .orderBy(rankedBy(page), page.order)
    .orderBy('r.id', page.order)
    .limit(page.limit)
  return selectStored(db, page.trust)
    .innerJoin(cut.as('cut'), 'cut.id', 'r.id')
    .select('cut.position')
    .orderBy('cut.position', page.order)
    .orderBy('r.id', page.order)
    .execute()
}

function rankedBy(page: Page): RawBuilder<number | Date> {
  if (page.sort === 'salience') return salienceAt(page.asOf)
  return page.sort === 'created_at' ? sql`r.created_at` : sql`${sql.ref(`l.${page.sort}`)}`
}

function matching(db: Database, page: Page) {
  const { filters, trust, after } = page
  const seen = readsHiddenFields(filters, page.sort) ? openTo(trust) : visibleTo(trust)
  return db
    .selectFrom('records as r')
    .innerJoin('lifecycles as l', 'l.record_id', 'r.id')
    .where(seen)
    .where((eb) => eb.and([...recordConditions(filters, page.textLanguage), ...lifecycleConditions(page)]))
    .$if(after !== undefined, (qb) => (after ? qb.where(beyond(rankedBy(page), after, page.order)) : qb))
}

function recordConditions(filters: Filters, textLanguage: string): RawBuilder<SqlBool>[] {
  const equal = (['type', 'scope', 'sensitivity', 'layer', 'memory_kind', 'status'] as const)
    .filter((name) => filters[name] !== undefined)
    .map((name) => sql<SqlBool>`${sql.ref(`r.${name}`)} = ${filters[name]}`)
  const { tag, created_after: after, created_before: before, q } = filters
  return [
    ...equal,
    ...(tag ? [sql<SqlBool>`r.tags @> ${sql.val(tag)}::text[]`] : []),
    ...(after === undefined ? [] : [sql<SqlBool>`r.created_at > ${after}::timestamptz`]),
    ...(before === undefined ? [] : [sql<SqlBool>`r.created_at < ${before}::timestamptz`]),
    ...(q === undefined
      ? []
      : [sql<SqlBool>`r.search @@ websearch_to_tsquery(${textLanguage}::text::regconfig, ${q})`]),
  ]
}

function lifecycleConditions({ filters, asOf }: Page): RawBuilder<SqlBool>[] {
  const { min_salience: min, max_salience: max, updated_after: updated, pinned } = filters
  return [
    ...(filters.include_forgotten ? [] : [sql<SqlBool>`l.forgotten_at is null`]),
    ...(pinned === undefined ? [] : [sql<SqlBool>`l.pinned = ${pinned}`]),
    ...(updated === undefined ? [] : [sql<SqlBool>`l.updated_at > ${updated}::timestamptz`]),
    // The stored bound lets an index answer first; the exact value decides.
    ...(min === undefined
      ? []
      : [sql<SqlBool>`l.salience >= ${min}`, sql<SqlBool>`${salienceAt(asOf)} >= ${min}`]),
    ...(max === undefined ? [] : [sql<SqlBool>`${salienceAt(asOf)} <= ${max}`]),
  ]
}

/** Spelled so that an index on the value alone serves; a row comparison would need the id in the same table. */
function beyond(value: RawBuilder<number | Date>, after: Position, order: Order): RawBuilder<SqlBool> {
  const position =
    typeof after.value === 'string' ? sql`${after.value}::timestamptz` : sql`${after.value}::float8`
  return order === 'desc'
    ? sql<SqlBool>`${value} <= ${position} and (${value} < ${position} or r.id < ${after.id}::uuid)`
    : sql<SqlBool>`${value} >= ${position} and (${value} > ${position} or r.id > ${after.id}::uuid)`
}
/** Oldest first, so that a page stays what it is while entries are added behind it. */
export async function listAudit(db: Database, id: string, after: number, limit: number) {
  return db
    .selectFrom('audit_entries')
    .where('record_id', '=', id)
    .where('id', '>', after)
    .select(['id', 'action', 'actor', 'at', 'rationale', 'run_id', 'changes'])
    .orderBy('id')
    .limit(limit)
    .execute()
}
