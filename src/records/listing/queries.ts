import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { salienceAt } from '../../db/salience.ts'
import type { DB } from '../../db/schema.ts'
import { openTo, visibleTo } from '../../db/visibility.ts'
import { selectStored } from '../queries.ts'
import { asWebSearch } from '../words.ts'
import { type Filters, type Order, readsHiddenFields } from './filters.ts'
import type { Lane, Page, Picked, Position, Positioned } from './page.ts'

/** The page is cut before anything wide is read. */
export async function listRecords(db: Database, page: Page): Promise<Positioned[]> {
  return readCut(db, page, cutInOrder(db, page))
}

/** The same page for who reads it otherwise. */
export async function pickRecords(db: Database, page: Page): Promise<Picked[]> {
  return cutInOrder(db, page).execute()
}

function cutInOrder(db: Database, page: Page): Cut {
  return matching(db, page)
    .select(['r.id', rankedBy(page).as('position')])
    .orderBy(rankedBy(page), page.order)
    .orderBy('r.id', page.order)
    .limit(page.limit)
}

/** The half-lives in use, found by one index probe each: records of one half-life have one order for all time. */
export async function listHalfLives(db: Database, limit: number): Promise<number[]> {
  const { rows } = await sql<{ seconds: number }>`
    with recursive used as (
      (
        select half_life_seconds as seconds from records
        where decay_rank is not null and forgotten_at is null
        order by half_life_seconds
        limit 1
      )
      union all
      select (
        select half_life_seconds from records
        where decay_rank is not null and forgotten_at is null and half_life_seconds > used.seconds
        order by half_life_seconds
        limit 1
      )
      from used
      where used.seconds is not null
    )
    select seconds from used where seconds is not null limit ${limit}
  `.execute(db)
  return rows.map(({ seconds }) => seconds)
}

/**
 * For records without a lasting order the stored salience is an upper bound of the exact one. So the last
 * value of a page made of the highest stored ones is a floor: what is stored below it cannot belong to the
 * page. Asked for by itself, because a planner that is given the floor as a number knows how few rows lie
 * above it.
 */
export async function findSalienceFloor(db: Database, page: Page, lanes: readonly Lane[]): Promise<number> {
  const highest = unranked(db, page).orderBy('r.salience', 'desc').orderBy('r.id', 'desc').limit(page.limit)
  const candidates = ranked(db, page, lanes).unionAll((eb) => eb.parens(highest))
  const found = await db
    .selectFrom(candidates.as('candidate'))
    .select('position')
    .orderBy('position', 'desc')
    .offset(page.limit - 1)
    .limit(1)
    .executeTakeFirst()
  return Number(found?.position ?? 0)
}

/** The most or the least salient records, from the orders of their half-lives and the few rows that have none. */
export async function listBySalience(
  db: Database,
  page: Page,
  lanes: readonly Lane[],
  floor: number,
): Promise<Positioned[]> {
  return readCut(db, page, cutBySalience(db, page, lanes, floor))
}

export async function pickBySalience(
  db: Database,
  page: Page,
  lanes: readonly Lane[],
  floor: number,
): Promise<Picked[]> {
  return cutBySalience(db, page, lanes, floor).execute()
}

function cutBySalience(db: Database, page: Page, lanes: readonly Lane[], floor: number): Cut {
  const candidates = ranked(db, page, lanes).unionAll(
    unranked(db, page).$if(floor > 0, (qb) => qb.where('r.salience', '>=', floor)),
  )
  return db
    .selectFrom(candidates.as('candidate'))
    .select(['id', 'position'])
    .orderBy('position', page.order)
    .orderBy('id', page.order)
    .limit(page.limit)
}

function ranked(db: Database, page: Page, lanes: readonly Lane[]) {
  const halfLives = sql.val(lanes.map((lane) => lane.half_life_seconds))
  const scopes = sql.val(lanes.map((lane) => lane.scope ?? ''))
  const isScoped = lanes.some((lane) => lane.scope !== undefined)
  const lane = sql<{ half_life: number; scope: string }>`unnest(${halfLives}::bigint[], ${scopes}::text[])`
  return db
    .selectFrom(lane.as<'lane'>(sql`lane (half_life, scope)`))
    .innerJoinLateral(
      matching(db, page)
        .where('r.decay_rank', 'is not', null)
        .where(sql<SqlBool>`r.half_life_seconds = lane.half_life`)
        .$if(isScoped, (qb) => qb.where(sql<SqlBool>`r.scope = lane.scope`))
        .where((eb) => eb.and(rankBounds(page)))
        .select(['r.id', rankedBy(page).as('position')])
        .orderBy('r.decay_rank', page.order)
        .orderBy('r.id', page.order)
        .limit(page.limit)
        .as('best'),
      (join) => join.onTrue(),
    )
    .select(['best.id', 'best.position'])
}

function unranked(db: Database, page: Page) {
  return matching(db, page)
    .where('r.decay_rank', 'is', null)
    .select(['r.id', rankedBy(page).as('position')])
}

/** Wider than any rounding of a rank, which is some 10^9 half-lives large when they are seconds. */
const rankTolerance = 1e-5

/** Where in the order the page can lie; the exact conditions stand beside it, this spares the walk to them. */
function rankBounds({ filters, order, after, asOf }: Page): RawBuilder<SqlBool>[] {
  const reached = after === undefined ? [] : [Number(after.value)]
  const below = [...(order === 'desc' ? reached : []), filters.max_salience ?? Number.POSITIVE_INFINITY]
  const above = [...(order === 'asc' ? reached : []), filters.min_salience ?? 0]
  const highest = Math.min(...below)
  const lowest = Math.max(...above)
  const now = asOf.getTime() / 1_000
  const rank = (salience: number, tolerance: number) =>
    sql`${Math.log2(salience) + tolerance}::float8 + ${now}::float8 / lane.half_life`
  return [
    ...(highest > 0 && highest < Number.POSITIVE_INFINITY
      ? [sql<SqlBool>`r.decay_rank <= ${rank(highest, rankTolerance)}`]
      : []),
    ...(lowest > negligibleSalience ? [sql<SqlBool>`r.decay_rank >= ${rank(lowest, -rankTolerance)}`] : []),
  ]
}

/** Below this a rank no longer tells the order: salience stops falling at 64 half-lives, ranks do not. */
export const negligibleSalience = 1e-12

type Cut = SelectQueryBuilder<DB, never, Picked>

async function readCut(db: Database, page: Page, cut: Cut): Promise<Positioned[]> {
  const direction = sql.raw(page.order)
  const { rows } = await selectStored(page.trust, {
    from: sql`(${cut}) as cut join records as r on r.id = cut.id`,
    more: sql`, cut.position`,
    rest: sql`order by cut.position ${direction}, r.id ${direction}`,
  }).execute(db)
  return rows as Positioned[]
}

function rankedBy(page: Page): RawBuilder<number | Date> {
  return page.sort === 'salience' ? salienceAt(page.asOf) : sql`${sql.ref(`r.${page.sort}`)}`
}

function matching(db: Database, page: Page) {
  const { filters, trust, after, conditions = [], isWhole = false } = page
  const seen = isWhole || readsHiddenFields(filters, page.sort) ? openTo(trust) : visibleTo(trust)
  return db
    .selectFrom('records as r')
    .$if(readsContents(filters), (qb) => qb.innerJoin('contents as c', 'c.record_id', 'r.id'))
    .where(seen)
    .where((eb) =>
      eb.and([...recordConditions(filters, page.textLanguage), ...lifeConditions(page), ...conditions]),
    )
    .$if(after !== undefined, (qb) => (after ? qb.where(beyond(rankedBy(page), after, page.order)) : qb))
}

function readsContents({ tag, q }: Filters): boolean {
  return tag !== undefined || q !== undefined
}

function recordConditions(filters: Filters, textLanguage: string): RawBuilder<SqlBool>[] {
  const equal = (['type', 'scope', 'sensitivity', 'layer', 'memory_kind', 'status'] as const)
    .filter((name) => filters[name] !== undefined)
    .map((name) => sql<SqlBool>`${sql.ref(`r.${name}`)} = ${filters[name]}`)
  const { tag, created_after: after, created_before: before, q } = filters
  return [
    ...equal,
    ...(tag ? [sql<SqlBool>`c.tags @> ${sql.val(tag)}::text[]`] : []),
    ...(after === undefined ? [] : [sql<SqlBool>`r.created_at > ${after}::timestamptz`]),
    ...(before === undefined ? [] : [sql<SqlBool>`r.created_at < ${before}::timestamptz`]),
    ...(q === undefined
      ? []
      : [
          sql<SqlBool>`c.search @@ websearch_to_tsquery(${textLanguage}::text::regconfig, ${asWebSearch(q)})`,
        ]),
  ]
}

function lifeConditions({ filters, asOf }: Page): RawBuilder<SqlBool>[] {
  const { min_salience: min, max_salience: max, updated_after: updated, pinned } = filters
  return [
    ...(filters.include_forgotten ? [] : [sql<SqlBool>`r.forgotten_at is null`]),
    ...(pinned === undefined ? [] : [sql<SqlBool>`r.pinned = ${pinned}`]),
    ...(updated === undefined ? [] : [sql<SqlBool>`r.updated_at > ${updated}::timestamptz`]),
    // The stored bound lets an index answer first; the exact value decides.
    ...(min === undefined
      ? []
      : [sql<SqlBool>`r.salience >= ${min}`, sql<SqlBool>`${salienceAt(asOf)} >= ${min}`]),
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
