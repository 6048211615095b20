import { describeEntries, type Effect } from '../effects/index.ts'

/** An undo describes the records that it changed, in their logs and in its own list. */

/** Entries for the records that were written, and for those of `ids` that only lost something beside them, such as a vector. */
export function describeUndone(written: readonly Effect[], ids: readonly string[]) {
  const entries = describeEntries(written)
  const described = new Set(entries.map(({ record_id: id }) => id))
  const touched = new Set(written.map(({ owner }) => owner))
  const others = ids.filter((id) => touched.has(id) && !described.has(id))
  return [
    ...entries,
    ...others.map((id) => ({ record_id: id, old_status: 'active', new_status: 'active', changes: {} })),
  ]
}

/** Returns the values of the fields before and after the changes. */
export function splitChanges(changes: Readonly<Record<string, [unknown, unknown]>> = {}) {
  const pickSide = (at: 0 | 1) =>
    Object.fromEntries(Object.entries(changes).map(([name, pair]) => [name, pair[at]]))
  return { before: pickSide(0), after: pickSide(1) }
}
