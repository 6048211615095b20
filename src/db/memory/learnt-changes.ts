import { nilUuid } from '../../kernel/ids.ts'
import { readPlaces } from './checked-records.ts'
import { copyView, maxChanges, type View } from './seen-changes.ts'
import { hasEnded, mergeSnapshots, readEnd } from './snapshots.ts'

/** The transactions that made a row what it is, one for each thing that changes by itself. */
export type Version = readonly number[]
type Versioned = { id: string; version: Version }

/** A table in memory, of rows of the database. */
export type VersionedTable<Row> = {
  /** Stores a row, in the place of the one that has its id. Returns whether there was room. */
  add: (row: Row) => boolean
  remove: (id: string) => void
  findPlace: (id: string) => number | undefined
  getId: (place: number) => string
  /** How many rows were ever added. An order of the table is outdated when this has changed, no matter which search added them. */
  countAdded: () => number
  /** How many rows are here. */
  countKept: () => number
  /** Undefined for a row that is not here, as is its place. */
  findVersion: (id: string) => Version | undefined
}

/** The changes that a check of some rows of the table has found. */
export type Changes<Row> = {
  /** The checked rows that are no longer in the database. */
  gone: readonly string[]
  /** The rows that were stored or changed since the snapshot; none where `unseen` is too many. */
  changed: readonly Row[]
  /** How many changes there were, with those whose rows are not read. */
  unseen: number
  view: View
}

/** The columns of a statement from which `readChanges` reads them. */
export type ChangesRow = View & { gone: string | null; changed: Buffer | null; unseen: number }

/** Returns the changes that a statement found when it checked the records of these ids. */
export function readChanges<Row>(
  row: ChangesRow | undefined,
  ids: readonly string[],
  unpack: (bytes: Buffer | null | undefined) => Row[],
): Changes<Row> {
  return {
    gone: readPlaces(row?.gone, ids),
    changed: unpack(row?.changed),
    unseen: row?.unseen ?? 0,
    view: copyView(row),
  }
}

/**
 * Adds what the database knows and the table does not. Answers come in any order and, with replicas, from servers that are behind
 * others. So a row is replaced only by a newer version, and removed only by a statement that has seen the transactions of its
 * version. Returns whether the table can still be used.
 */
export function learnChanges<Row extends Versioned>(
  loaded: { table: VersionedTable<Row>; view: View },
  { gone, changed, unseen, view }: Changes<Row>,
): boolean {
  if (unseen > maxChanges || view.origin !== loaded.view.origin) return false
  const { table, view: learnt } = loaded
  let isCertain = true
  for (const row of changed) {
    const judged = judge(row.version, table.findVersion(row.id), { view, learnt })
    if (judged === 'news' && !table.add(row)) return false
    if (judged === 'uncertain') isCertain = false
  }
  for (const id of gone) {
    const known = table.findVersion(id)
    if (known && hasSeen(view, known)) table.remove(id)
  }
  // Uncertain rows are requested again.
  const snapshot = isCertain ? mergeSnapshots(learnt.snapshot, view.snapshot) : learnt.snapshot
  loaded.view = { ...view, snapshot, reached: Math.max(learnt.reached, view.reached) }
  return true
}

/**
 * Compares a version that a server returned with the known one. All servers go through the same states of the database. A primary
 * knows of every transaction whether it has ended. A standby does not while an older one is open: then its version is news if it
 * has reached further than every answer before. If it has reached equally far, its state can be older or newer than theirs, until
 * another transaction has ended.
 */
export function judge(
  version: Version,
  known: Version | undefined,
  { view, learnt }: { view: View; learnt: View },
): 'news' | 'known' | 'uncertain' {
  if (!known) return hasSeen(learnt, version) ? 'known' : 'news'
  if (known.every((transaction, at) => transaction === version[at])) return 'known'
  if (hasSeen(view, known)) return 'news'
  if (!mayHaveSeen(view, known) || hasSeen(learnt, version)) return 'known'
  if (view.reached === learnt.reached) return 'uncertain'
  return view.reached > learnt.reached ? 'news' : 'known'
}

function hasSeen({ snapshot }: View, version: Version): boolean {
  return version.every((transaction) => hasEnded(snapshot, transaction))
}

function mayHaveSeen({ snapshot, reached }: View, version: Version): boolean {
  const end = readEnd(snapshot)
  return version.every(
    (transaction) => hasEnded(snapshot, transaction) || (transaction >= end && transaction < reached),
  )
}

/** Fills an empty table with the rows that `read` returns in the order of their ids, a portion at a time. */
export async function fillTable<Row extends { id: string }>(
  { add }: Pick<VersionedTable<Row>, 'add'>,
  read: (after: string) => Promise<readonly Row[]>,
): Promise<void> {
  for (let after = nilUuid; ; ) {
    const rows = await read(after)
    if (!rows.every(add)) throw createNoRoomError()
    const last = rows.at(-1)
    if (!last) return
    after = last.id
  }
}

const idsAtOnce = 2_000
const checkedAtOnce = 500
/** A row that has gone leaves its place empty. With more of them than rows, it is better to fill the table again. */
const fewEmpty = 10_000

/**
 * Removes the rows that have gone from the database, which no change tells. `readIds` returns the next ids behind one in
 * their order; `check` is asked about those that it did not return. Returns whether the table is worth keeping.
 */
export async function forgetGone<Row extends Versioned>(
  loaded: { table: VersionedTable<Row>; view: View },
  readIds: (after: string, limit: number) => Promise<readonly string[]>,
  check: (ids: readonly string[]) => Promise<Changes<Row>>,
): Promise<boolean> {
  const { table } = loaded
  const isMet = new Uint8Array(table.countAdded())
  for (let after: string | undefined = nilUuid; after !== undefined; ) {
    const ids: readonly string[] = await readIds(after, idsAtOnce)
    for (const id of ids) isMet[table.findPlace(id) ?? isMet.length] = 1
    after = ids.at(-1)
  }
  const missing: string[] = []
  for (let place = 0; place < isMet.length; place++) {
    if (isMet[place] === 1) continue
    const id = table.getId(place)
    if (table.findPlace(id) === place) missing.push(id)
  }
  for (let from = 0; from < missing.length; from += checkedAtOnce) {
    if (!learnChanges(loaded, await check(missing.slice(from, from + checkedAtOnce)))) return false
  }
  return table.countAdded() <= 2 * table.countKept() + fewEmpty
}

export function createNoRoomError(): RangeError {
  return new RangeError('There is no room in memory.')
}
