import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { maxAnswerBytes, measureShown, sumBefore } from '../../db/fragments/json/json-size.ts'
import type { DB } from '../../db/schema.ts'
import { readStored } from '../records.queries.ts'
import { selectMatching, selectSortValue } from './list-matching.queries.ts'
import type { Lane, PageQuery, PositionedId, PositionedRecord } from './list-page.ts'

/** Selects the ids of the page first, so that contents are read only for the records of the page. */
export async function listRecords(db: Database, page: PageQuery): Promise<PositionedRecord[]> {
  return readSelected(db, page, selectIdsInOrder(db, page))
}

/** The ids of the same page. */
export async function listRecordIds(db: Database, page: PageQuery): Promise<PositionedId[]> {
  return selectIdsInOrder(db, page).execute()
}

function selectIdsInOrder(db: Database, page: PageQuery): IdSelection {
  return selectMatching(db, page)
    .select(['r.id', selectSortValue(page).as('position')])
    .orderBy(selectSortValue(page), page.order)
    .orderBy('r.id', page.order)
    .limit(page.limit)
}

/** Finds the half-lives in use with one index probe for each. Records of one half-life never change their order. */
const selectHalfLives = (limit: number) => sql<{ seconds: number }>`
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
  select seconds from used where seconds is not null limit ${sql.lit(limit)}
`

export async function listHalfLives(db: Database, limit: number): Promise<number[]> {
  const { rows } = await selectHalfLives(limit).execute(db)
  return rows.map(({ seconds }) => seconds)
}

export type MostSalient = {
  ids: PositionedId[]
  lanes: number
  /** The highest stored salience of the records without a rank. Such a record may belong to the result. */
  highestUnranked: number | null
}

/** Reads, in one round trip, the most salient records that have a rank, and what shows whether the result is complete. */
export async function findMostSalientIds(
  db: Database,
  page: PageQuery,
  scopes: readonly string[] | null,
  maxLanes: number,
): Promise<MostSalient> {
  const scoped = scopes ? sql`unnest(${scopes}::text[])` : sql`(values (''))`
  const lanes = sql`(select seconds as half_life, scope from used cross join ${scoped} as named (scope))`
  const best = selectRanked(db, page, lanes, scopes !== null)
  const highest = selectUnranked(db, page).clearSelect().select('r.salience').orderBy('r.salience', 'desc')
  const { rows } = await sql<{
    id: string | null
    position: number
    lanes: number
    highest_unranked: number | null
  }>`
    with used as materialized (${selectHalfLives(maxLanes + 1)}), best as (
      select id, position from (${best}) as candidate order by position desc, id desc limit ${sql.lit(page.limit)}
    )
    select best.id, best.position, (select count(*) from used) * ${scopes?.length ?? 1} as lanes,
      (${highest.orderBy('r.id', 'desc').limit(sql.lit(1))}) as highest_unranked
    from (select) as always left join best on true
    order by best.position desc, best.id desc
  `.execute(db)
  const [first] = rows
  return {
    ids: rows.flatMap(({ id, position }) => (id === null ? [] : [{ id, position }])),
    lanes: first?.lanes ?? 0,
    highestUnranked: first?.highest_unranked ?? null,
  }
}

/**
 * Returns a lower limit of stored salience for the page. The stored salience of a record without a rank is never below
 * its exact one. The statement fills a page with the records of the highest stored salience and returns the last exact
 * salience on it: a record stored below that cannot be on the page. This is a statement of its own, because a planner
 * that gets the limit as a number knows how few rows are above it.
 */
export async function findSalienceFloor(
  db: Database,
  page: PageQuery,
  lanes: readonly Lane[],
): Promise<number> {
  const highest = selectUnranked(db, page)
    .orderBy('r.salience', 'desc')
    .orderBy('r.id', 'desc')
    .limit(page.limit)
  const candidates = selectRanked(db, page, selectLanes(lanes), isScoped(lanes)).unionAll((eb) =>
    eb.parens(highest),
  )
  const found = await db
    .selectFrom(candidates.as('candidate'))
    .select('position')
    .orderBy('position', 'desc')
    .offset(page.limit - 1)
    .limit(1)
    .executeTakeFirst()
  return Number(found?.position ?? 0)
}

/** The most or the least salient records, merged from the lanes and the few records without a rank. */
export async function listBySalience(
  db: Database,
  page: PageQuery,
  lanes: readonly Lane[],
  floor: number,
): Promise<PositionedRecord[]> {
  return readSelected(db, page, selectIdsBySalience(db, page, lanes, floor))
}

export async function listIdsBySalience(
  db: Database,
  page: PageQuery,
  lanes: readonly Lane[],
  floor: number,
): Promise<PositionedId[]> {
  return selectIdsBySalience(db, page, lanes, floor).execute()
}

function selectIdsBySalience(
  db: Database,
  page: PageQuery,
  lanes: readonly Lane[],
  floor: number,
): IdSelection {
  const candidates = selectRanked(db, page, selectLanes(lanes), isScoped(lanes)).unionAll(
    selectUnranked(db, page).$if(floor > 0, (qb) => qb.where('r.salience', '>=', floor)),
  )
  return db
    .selectFrom(candidates.as('candidate'))
    .select(['id', 'position'])
    .orderBy('position', page.order)
    .orderBy('id', page.order)
    .limit(page.limit)
}

function selectLanes(lanes: readonly Lane[]): RawBuilder<unknown> {
  const halfLives = lanes.map((lane) => lane.half_life_seconds)
  const scopes = lanes.map((lane) => lane.scope ?? '')
  return sql`unnest(${halfLives}::bigint[], ${scopes}::text[])`
}

function selectRanked(db: Database, page: PageQuery, lanes: RawBuilder<unknown>, isScoped: boolean) {
  const lane = sql<{ half_life: number; scope: string }>`${lanes}`
  return db
    .selectFrom(lane.as<'lane'>(sql`lane (half_life, scope)`))
    .innerJoinLateral(
      selectMatching(db, page)
        .where('r.decay_rank', 'is not', null)
        .where(sql<SqlBool>`r.half_life_seconds = lane.half_life`)
        .$if(isScoped, (qb) => qb.where(sql<SqlBool>`r.scope = lane.scope`))
        .where((eb) => eb.and(listRankConditions(page)))
        .select(['r.id', selectSortValue(page).as('position')])
        .orderBy('r.decay_rank', page.order)
        .orderBy('r.id', page.order)
        .limit(sql.lit(page.limit))
        .as('best'),
      (join) => join.onTrue(),
    )
    .select(['best.id', 'best.position'])
}

const isScoped = (lanes: readonly Lane[]) => lanes.some((lane) => lane.scope !== undefined)

function selectUnranked(db: Database, page: PageQuery) {
  return selectMatching(db, page)
    .where('r.decay_rank', 'is', null)
    .select(['r.id', selectSortValue(page).as('position')])
}

/** Larger than any rounding error of a rank. A rank is about 10^9 if the half-life is one second. */
const rankTolerance = 1e-5

/** The range of ranks that the page can contain. Only saves reading: the exact conditions are part of the statement. */
function listRankConditions({ filters, order, after, asOf }: PageQuery): RawBuilder<SqlBool>[] {
  const passed = after === undefined ? [] : [Number(after.value)]
  const below = [...(order === 'desc' ? passed : []), filters.max_salience ?? Number.POSITIVE_INFINITY]
  const above = [...(order === 'asc' ? passed : []), filters.min_salience ?? 0]
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

/** Below this salience a rank no longer gives the order: salience stops falling at 64 half-lives, ranks do not. */
export const negligibleSalience = 1e-12

type IdSelection = SelectQueryBuilder<DB, never, PositionedId>

/** The page ends at `maxAnswerBytes`, but has at least one record. Redacted records do not count. */
async function readSelected(db: Database, page: PageQuery, cut: IdSelection): Promise<PositionedRecord[]> {
  const direction = sql.raw(page.order)
  const order = sql`cut.position ${direction}, cut.id ${direction}`
  const measured = sql`
    select cut.id, cut.position, (count(*) over ())::int4 as selected,
      ${sumBefore(measureShown(page.trust), order)} as bytes_before
    from (${cut}) as cut join records as r on r.id = cut.id join contents as c on c.record_id = cut.id
  `
  return readStored<Pick<PositionedRecord, 'position' | 'selected'>>(db, page.trust, {
    from: sql`(${measured}) as cut join records as r on r.id = cut.id`,
    more: sql`, cut.position, cut.selected, cut.bytes_before`,
    rest: sql`and cut.bytes_before <= ${sql.lit(maxAnswerBytes)}`,
    limitedIn: sql`read.position ${direction}, read.id ${direction}`,
  })
}
