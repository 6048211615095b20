import Type, { type Static, type TSchema } from 'typebox'
import type { Database } from '../../db/connection.ts'
import { findVisibleHorizon, nextPollAfter } from '../../db/horizon.ts'
import type { CallContext } from '../../db/transaction.ts'
import { isOpenTo } from '../../db/visibility.ts'
import { type Caller, unscoped } from '../../domain/caller.ts'
import { type ListPage, RowNumber, Time, Uuid } from '../../domain/shapes.ts'
import { boundValidMs } from '../../domain/sweep-lag.ts'
import { decodeCursor, encodeCursor, fingerprintQuery } from '../../http/paging.ts'
import type { Clock } from '../../kernel/clock.ts'
import { presentAudit, presentRecord, redactRecord } from '../record-answer.ts'
import type { AuditEntry, MemoryRecord, RedactedRecord } from '../records.schemas.ts'
import {
  type Best,
  findSalienceFloor,
  listAudit,
  listBySalience,
  listHalfLives,
  listRecords,
  negligibleSalience,
  pickBest,
  pickBySalience,
  pickRecords,
} from './list.queries.ts'
import type { ListQuery } from './list.schemas.ts'
import type { Filters } from './list-filters.ts'
import type { Lane, Page, Picked, Positioned } from './list-page.ts'

type Resources = { db: Database; clock: Clock; textLanguage: string }
type Asked = Static<typeof ListQuery>
type RecordsListed = ListPage<MemoryRecord | RedactedRecord> & { next_updated_after?: string }

const at = <T extends TSchema>(value: T) =>
  Type.Object({ value, id: Uuid(), as_of: Time(), poll_after: Type.Optional(Time()) })
const [NumberCursor, TimeCursor] = [at(Type.Number()), at(Time())]
/** Of the type that the list is sorted by; another would be a fault in SQL. */
const recordCursors = {
  salience: NumberCursor,
  importance: NumberCursor,
  created_at: TimeCursor,
  updated_at: TimeCursor,
}
const AuditCursor = Type.Object({ id: RowNumber() })

export function createListing({ db, clock, textLanguage }: Resources) {
  async function list(call: CallContext, asked: Asked): Promise<RecordsListed> {
    const { sort = 'salience', order = 'desc', limit = 50, cursor, ...filters } = asked
    const fingerprint = fingerprintQuery(call.caller.principal, { sort, order, ...filters })
    const after = cursor === undefined ? undefined : decodeCursor(cursor, recordCursors[sort], fingerprint)
    const conn = call.tx ?? db
    const { asOf, pollAfter } = after
      ? { asOf: new Date(after.as_of), pollAfter: after.poll_after }
      : await beginPages(conn, clock.now(), filters)
    const page: Page = {
      ...{ filters, sort, order, asOf, textLanguage },
      trust: call.caller.trust,
      ...(after ? { after: { value: after.value, id: after.id } } : {}),
      // One more than asked tells whether there is a next page.
      limit: limit + 1,
    }
    const found = await readPage(conn, page, clock.now())
    const items = found.slice(0, limit)
    const last = found.length > limit ? items.at(-1) : undefined
    const position = last && { ...positionOf(last, asOf), poll_after: pollAfter }
    return {
      items: items.map((stored) => show(call.caller, stored, asOf)),
      ...(position ? { next_cursor: encodeCursor(fingerprint, position) } : {}),
      ...(pollAfter === undefined ? {} : { next_updated_after: pollAfter }),
    }
  }

  /** The caller has been let through to the record; its log has no trust of its own. */
  async function pageAudit(
    call: CallContext,
    id: string,
    { limit = 100, cursor }: { limit?: number; cursor?: string },
  ): Promise<ListPage<AuditEntry>> {
    const fingerprint = fingerprintQuery(call.caller.principal, { audit: id })
    const after = cursor === undefined ? 0 : decodeCursor(cursor, AuditCursor, fingerprint).id
    const found = await listAudit(call.tx ?? db, { id, trust: call.caller.trust, after, limit: limit + 1 })
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return {
      items: items.map(presentAudit),
      ...(last && found.length > limit ? { next_cursor: encodeCursor(fingerprint, { id: last.id }) } : {}),
    }
  }

  return { list, pageAudit }
}

async function readPage(db: Database, page: Page, now: Date): Promise<Positioned[]> {
  return page.sort === 'salience' ? rankBySalience(db, page, now, whole) : listRecords(db, page)
}

/**
 * What the first page of a list settles for all. The instant to poll from is found before the page is read: what
 * commits between the two is on the page, or has a later time.
 */
async function beginPages(db: Database, asOf: Date, { updated_after: after }: Filters) {
  const pollAfter = after === undefined ? undefined : nextPollAfter(after, await findVisibleHorizon(db, asOf))
  return { asOf, pollAfter }
}

/** More lanes than this, and one order over everything is the cheaper. */
const mostLanes = 500

/** What is read of the records of a page once it is known which they are. */
type Reading<T> = {
  inOrder(db: Database, page: Page): Promise<T[]>
  bySalience(db: Database, page: Page, lanes: readonly Lane[], floor: number): Promise<T[]>
}
const whole: Reading<Positioned> = { inOrder: listRecords, bySalience: listBySalience }
const picked: Reading<Picked> = { inOrder: pickRecords, bySalience: pickBySalience }

type Sought = Pick<Page, 'trust' | 'asOf' | 'limit' | 'conditions' | 'isWhole'> & {
  minSalience?: number
  /** The only scopes there are to look in, where the conditions name some. */
  scopes?: readonly string[]
}

/** The ids of the most salient records there are under some conditions, in the order of a list. */
export async function findMostSalient(
  db: Database,
  { minSalience, scopes, ...sought }: Sought,
  now: Date,
): Promise<Picked[]> {
  const filters: Filters = minSalience === undefined ? {} : { min_salience: minSalience }
  const page: Page = { ...sought, filters, sort: 'salience', order: 'desc', textLanguage: 'simple' }
  if (!holdsBound(page, now)) return rankBySalience(db, page, now, picked, scopes)
  const best = await pickBest(db, page, scopes ?? reachableScopes(page), mostLanes)
  return isSettled(best, page) ? best.picked : rankBySalience(db, page, now, picked, scopes)
}

/** The stored salience of what has no lasting order is still an upper bound. */
function holdsBound({ asOf }: Page, now: Date): boolean {
  return now.getTime() - asOf.getTime() <= boundValidMs
}

/** What has a lasting order fills the page, above all that has none. */
function isSettled({ picked, lanes, loose }: Best, { limit }: Page): boolean {
  if (lanes > mostLanes) return false
  const floor = picked.length < limit ? 0 : Number(picked.at(-1)?.position)
  if (picked.length === limit && floor < negligibleSalience) return false
  return loose === null || loose < floor
}

/**
 * The exact order by salience at the page's instant, read off indexes. Where they cannot give it (a store of
 * very many half-lives, forgotten records, a tail of saliences too small to tell apart) it is computed. Behind a
 * cursor that is older than the sweep's lag, what no lasting order holds is computed too.
 */
async function rankBySalience<T extends Picked>(
  db: Database,
  page: Page,
  now: Date,
  reading: Reading<T>,
  scopes?: readonly string[],
): Promise<T[]> {
  const isTail = page.after !== undefined && Number(page.after.value) < negligibleSalience
  if (isTail || page.filters.include_forgotten) return reading.inOrder(db, page)
  const lanes = lanesOf(scopes ?? reachableScopes(page), await listHalfLives(db, mostLanes + 1))
  if (lanes.length > mostLanes) return reading.inOrder(db, page)
  const floor = page.order === 'desc' && holdsBound(page, now) ? await findSalienceFloor(db, page, lanes) : 0
  const found = await reading.bySalience(db, page, lanes, floor)
  const isWhole =
    found.length < page.limit || found.every(({ position }) => Number(position) >= negligibleSalience)
  return isWhole ? found : reading.inOrder(db, page)
}

function reachableScopes({ filters, trust }: Page): readonly string[] | null {
  if (filters.scope !== undefined) return [filters.scope]
  return trust.scopes && [...trust.scopes, unscoped]
}

function lanesOf(scopes: readonly string[] | null, halfLives: readonly number[]): Lane[] {
  if (!scopes) return halfLives.map((seconds) => ({ half_life_seconds: seconds }))
  return scopes.flatMap((scope) => halfLives.map((seconds) => ({ scope, half_life_seconds: seconds })))
}

function show(caller: Caller, stored: Positioned, now: Date) {
  return isOpenTo(caller.trust, stored.sensitivity) ? presentRecord(stored, now) : redactRecord(stored, now)
}

function positionOf(stored: Positioned, asOf: Date): Static<typeof NumberCursor | typeof TimeCursor> {
  const { id, position } = stored
  const at = { id, as_of: asOf.toISOString() }
  return position instanceof Date ? { ...at, value: position.toISOString() } : { ...at, value: position }
}
