import Type, { type Static, type TSchema } from 'typebox'
import type { Database } from '../../db/connection.ts'
import { chooseNextPoll, findVisibleHorizon } from '../../db/poll-horizon.ts'
import { readFromPrimary } from '../../db/request-scope.ts'
import { boundValidMs } from '../../domain/lifecycle/sweep-lag.ts'
import { type ListPage, Time, Uuid } from '../../domain/schemas/shapes.ts'
import { type Caller, unscoped } from '../../domain/trust/caller.ts'
import { computeQueryFingerprint, decodeCursor, encodeCursor } from '../../http/paging/cursor.ts'
import { isFollowed } from '../../http/paging/paging.ts'
import type { Clock } from '../../kernel/clock.ts'
import { presentSeen } from '../answers/record-answer.ts'
import type { MemoryRecord, RedactedRecord } from '../records.schemas.ts'
import {
  findMostSalientIds,
  findSalienceFloor,
  listBySalience,
  listHalfLives,
  listIdsBySalience,
  listRecordIds,
  listRecords,
  type MostSalient,
  negligibleSalience,
} from './list.queries.ts'
import type { ListQuery } from './list.schemas.ts'
import type { Filters } from './list-filters.ts'
import { readWords } from './list-matching.queries.ts'
import type { Lane, PageQuery, PositionedId, PositionedRecord } from './list-page.ts'

type Resources = { db: Database; clock: Clock; textLanguage: string }
type Query = Omit<Static<typeof ListQuery>, 'mask_secrets'>
type RecordList = ListPage<MemoryRecord | RedactedRecord> & { next_updated_after?: string }

const createCursorSchema = <T extends TSchema>(value: T) =>
  Type.Object({ value, id: Uuid(), as_of: Time(), poll_after: Type.Optional(Time()) })
const NumberCursor = createCursorSchema(Type.Number())
const TimeCursor = createCursorSchema(Time())
/** A cursor must hold a value of the type that the list is sorted by: another type would be an error in SQL. */
const recordCursors = {
  salience: NumberCursor,
  importance: NumberCursor,
  created_at: TimeCursor,
  updated_at: TimeCursor,
}

export function createListing({ db, clock, textLanguage }: Resources) {
  /** `isReadableOnly` leaves redacted records out, which would take places on the page. */
  return async (caller: Caller, query: Query, { isReadableOnly = false } = {}): Promise<RecordList> => {
    const { sort = 'salience', order = 'desc', limit = 50, cursor, ...filters } = query
    // `next_updated_after` promises that its pages had every change until then, and a replica may lack some of them.
    if (filters.updated_after !== undefined) readFromPrimary()
    const fingerprint = computeQueryFingerprint(caller.principal, { sort, order, ...filters })
    const after = cursor === undefined ? undefined : decodeCursor(cursor, recordCursors[sort], fingerprint)
    const { asOf, pollAfter } = after
      ? { asOf: new Date(after.as_of), pollAfter: after.poll_after }
      : await startPaging(db, clock.now(), filters)
    const page: PageQuery = {
      filters,
      sort,
      order,
      asOf,
      words: await readWords(db, textLanguage, filters.q),
      isReadableOnly,
      trust: caller.trust,
      ...(after ? { after: { value: after.value, id: after.id } } : {}),
      // One record more than the page shows whether there is a next page.
      limit: limit + 1,
    }
    const found = await readRecords(db, page, clock.now())
    const items = found.slice(0, limit)
    const last = isFollowed(items, found) ? items.at(-1) : undefined
    const position = last && { ...describePosition(last, asOf), poll_after: pollAfter }
    return {
      items: items.map((stored) => presentSeen(caller.trust, stored, asOf)),
      ...(position ? { next_cursor: encodeCursor(fingerprint, position) } : {}),
      ...(pollAfter === undefined ? {} : { next_updated_after: pollAfter }),
    }
  }
}

async function readRecords(db: Database, page: PageQuery, now: Date): Promise<PositionedRecord[]> {
  return page.sort === 'salience'
    ? rankBySalience(db, page, { now, reader: recordReader })
    : listRecords(db, page)
}

/**
 * The values that all pages of a list share. The time to poll from is read before the page: a change that commits
 * between the two is either on the page or has a later time.
 */
async function startPaging(db: Database, asOf: Date, { updated_after: after }: Filters) {
  const pollAfter =
    after === undefined ? undefined : chooseNextPoll(after, await findVisibleHorizon(db, asOf))
  return { asOf, pollAfter }
}

/** With more lanes than this, sorting all records is cheaper. */
const maxLanes = 500

/** Reads the records of a page, or only their ids. */
type PageReader<T> = {
  inOrder(db: Database, page: PageQuery): Promise<T[]>
  bySalience(db: Database, page: PageQuery, lanes: readonly Lane[], floor: number): Promise<T[]>
}
const recordReader: PageReader<PositionedRecord> = { inOrder: listRecords, bySalience: listBySalience }
const idReader: PageReader<PositionedId> = { inOrder: listRecordIds, bySalience: listIdsBySalience }

type SalienceSearch = Pick<PageQuery, 'trust' | 'asOf' | 'limit' | 'conditions' | 'isReadableOnly'> & {
  minSalience?: number | undefined
  /** The only scopes to search, if the conditions limit the scopes. */
  scopes?: readonly string[] | undefined
}

/** The ids of the most salient records that match the conditions, most salient first. */
export async function findMostSalient(
  db: Database,
  { minSalience, scopes, ...search }: SalienceSearch,
  now: Date,
): Promise<PositionedId[]> {
  const filters: Filters = minSalience === undefined ? {} : { min_salience: minSalience }
  const page: PageQuery = { ...search, filters, sort: 'salience', order: 'desc' }
  if (!isBoundValid(page, now)) return rankBySalience(db, page, { now, reader: idReader, scopes })
  const best = await findMostSalientIds(db, page, scopes ?? listReachableScopes(page), maxLanes)
  return isComplete(best, page) ? best.ids : rankBySalience(db, page, { now, reader: idReader, scopes })
}

/** Whether the stored salience of records without a rank is still an upper bound. */
function isBoundValid({ asOf }: PageQuery, now: Date): boolean {
  return now.getTime() - asOf.getTime() <= boundValidMs
}

/** Whether the page is full of records with a rank, all above those without one. */
function isComplete({ ids, lanes, highestUnranked }: MostSalient, { limit }: PageQuery): boolean {
  if (lanes > maxLanes) return false
  const floor = ids.length < limit ? 0 : Number(ids.at(-1)?.position)
  if (ids.length === limit && floor < negligibleSalience) return false
  return highestUnranked === null || highestUnranked < floor
}

/**
 * Lists a page in the exact order by salience at the time of the page, read from indexes. All records are sorted where
 * indexes cannot give this order: very many half-lives, forgotten records, or saliences too small to compare. With a
 * cursor older than the lag of the sweep, the records without a rank are sorted too.
 */
async function rankBySalience<T extends PositionedId>(
  db: Database,
  page: PageQuery,
  { now, reader, scopes }: { now: Date; reader: PageReader<T>; scopes?: readonly string[] | undefined },
): Promise<T[]> {
  const isTail = page.after !== undefined && Number(page.after.value) < negligibleSalience
  if (isTail || page.filters.include_forgotten) return reader.inOrder(db, page)
  const lanes = listLanes(scopes ?? listReachableScopes(page), await listHalfLives(db, maxLanes + 1))
  if (lanes.length > maxLanes) return reader.inOrder(db, page)
  const floor =
    page.order === 'desc' && isBoundValid(page, now) ? await findSalienceFloor(db, page, lanes) : 0
  const found = await reader.bySalience(db, page, lanes, floor)
  const isExact =
    (found[0]?.selected ?? found.length) < page.limit ||
    found.every(({ position }) => Number(position) >= negligibleSalience)
  return isExact ? found : reader.inOrder(db, page)
}

function listReachableScopes({ filters, trust }: PageQuery): readonly string[] | null {
  if (filters.scope !== undefined) return [filters.scope]
  return trust.scopes && [...trust.scopes, unscoped]
}

function listLanes(scopes: readonly string[] | null, halfLives: readonly number[]): Lane[] {
  if (!scopes) return halfLives.map((seconds) => ({ half_life_seconds: seconds }))
  return scopes.flatMap((scope) => halfLives.map((seconds) => ({ scope, half_life_seconds: seconds })))
}

function describePosition(
  stored: PositionedRecord,
  asOf: Date,
): Static<typeof NumberCursor | typeof TimeCursor> {
  const { id, position } = stored
  const at = { id, as_of: asOf.toISOString() }
  return position instanceof Date ? { ...at, value: position.toISOString() } : { ...at, value: position }
}
