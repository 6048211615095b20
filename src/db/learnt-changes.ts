import { nilUuid } from '../kernel/ids.ts'
import { mostChanges, type View } from './seen-changes.ts'
import { hasEnded, unite } from './snapshots.ts'

/** A table in memory, of rows of the database. The versions of a row are the transactions that made it what it is. */
export type VersionedTable<Row> = {
  /** Stores a row unless it is known in these versions, or the known one is newer than what the database has shown. */
  add: (row: Row, hasSeen?: (version: number) => boolean) => 'added' | 'known' | 'no room'
  remove: (id: string) => void
  placeOf: (id: string) => number | undefined
  idOf: (place: number) => string
  /** How many rows were ever added. An order of the table is outdated when this has changed, whoever added them. */
  countAdded: () => number
  /** How many rows are here. */
  countKept: () => number
  /** Undefined for a row that is not here, as is its place. */
  versionsOf: (id: string) => readonly number[] | undefined
}

export type Changes<Row> = {
  gone: readonly string[]
  /** None where `unseen` is too many. */
  changed: readonly Row[]
  /** How many changes there were, also those of which no row is read. */
  unseen: number
  view: View
}

/**
 * Takes in what the database knows and the table does not. Answers come in any order and, with replicas, from servers that are
 * behind others, so nothing that was learnt is forgotten for an older state: a row is replaced or removed only by a statement
 * that has seen the transactions of its versions. Returns whether the table can still be used.
 */
export function learnChanges<Row>(
  loaded: { table: VersionedTable<Row>; view: View },
  { gone, changed, unseen, view }: Changes<Row>,
): boolean {
  if (unseen > mostChanges || view.timeline !== loaded.view.timeline) return false
  const { table } = loaded
  const hasSeen = (version: number) => hasEnded(view.snapshot, version)
  if (changed.some((row) => table.add(row, hasSeen) === 'no room')) return false
  for (const id of gone) {
    if (table.versionsOf(id)?.every(hasSeen)) table.remove(id)
  }
  loaded.view = { ...view, snapshot: unite(loaded.view.snapshot, view.snapshot) }
  return true
}

/** Fills an empty table with the rows that `read` returns in the order of their ids, a portion at a time. */
export async function fillTable<Row extends { id: string }>(
  { add }: Pick<VersionedTable<Row>, 'add'>,
  read: (after: string) => Promise<readonly Row[]>,
): Promise<void> {
  for (let after = nilUuid; ; ) {
    const rows = await read(after)
    if (rows.some((row) => add(row) === 'no room')) throw noRoom()
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
export async function forgetGone<Row>(
  loaded: { table: VersionedTable<Row>; view: View },
  readIds: (after: string, limit: number) => Promise<readonly string[]>,
  check: (ids: readonly string[]) => Promise<Changes<Row>>,
): Promise<boolean> {
  const { table } = loaded
  const isMet = new Uint8Array(table.countAdded())
  for (let after: string | undefined = nilUuid; after !== undefined; ) {
    const ids: readonly string[] = await readIds(after, idsAtOnce)
    for (const id of ids) isMet[table.placeOf(id) ?? isMet.length] = 1
    after = ids.at(-1)
  }
  const missing: string[] = []
  for (let place = 0; place < isMet.length; place++) {
    if (isMet[place] === 1) continue
    const id = table.idOf(place)
    if (table.placeOf(id) === place) missing.push(id)
  }
  for (let from = 0; from < missing.length; from += checkedAtOnce) {
    if (!learnChanges(loaded, await check(missing.slice(from, from + checkedAtOnce)))) return false
  }
  return table.countAdded() <= 2 * table.countKept() + fewEmpty
}

export function noRoom(): RangeError {
  return new RangeError('There is no room in memory.')
}
