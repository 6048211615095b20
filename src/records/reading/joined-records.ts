import type { StoredRecord } from '../stored-record.ts'

/**
 * The rows of a page with their records: those up to the last one that was read. A record that was deleted since its id was read is
 * undefined. `selected` is the number of all rows.
 */
export function joinFirst<Row extends { id: string }>(
  rows: readonly Row[],
  read: readonly StoredRecord[],
): (Row & { stored: StoredRecord | undefined; selected: number })[] {
  const byId = new Map(read.map((stored) => [stored.id, stored]))
  const last = rows.findLastIndex(({ id }) => byId.has(id))
  // The first record is never left out, so without any all are deleted.
  const fitting = last < 0 ? rows : rows.slice(0, last + 1)
  return fitting.map((row) => ({ ...row, stored: byId.get(row.id), selected: rows.length }))
}
