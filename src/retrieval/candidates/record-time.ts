/** When what a record says happened or was stated, which may be long before it was stored. */

export type RecordTimes = {
  createdAt: string | Date
  /** Only for an episode: the time of its message, otherwise of its first event. */
  happenedAt?: string | null | undefined
  /** Only for a fact: the time of its first evidence. */
  statedAt?: string | null | undefined
}

/**
 * Returns the time as RFC 3339, or undefined if it is the time of the creation. Later evidence does not make a fact newer,
 * because it may contradict the fact. No fact is newer than its record, even if a client writes a later time.
 */
export function findRecordTime({ createdAt, happenedAt, statedAt }: RecordTimes): string | undefined {
  if (isTime(happenedAt)) return happenedAt
  return isTime(statedAt) && new Date(statedAt) < new Date(createdAt) ? statedAt : undefined
}

function isTime(text: string | null | undefined): text is string {
  return typeof text === 'string' && !Number.isNaN(Date.parse(text))
}

/** Times as a statement reads them: `at` in milliseconds, because a driver reads a number in a fifth of the time of a date. */
export type StoredTimes = { at: number; happened_at: string | null; stated_at: string | null }

export function readStoredTime({ at, happened_at: happenedAt, stated_at: statedAt }: StoredTimes): number {
  const time = findRecordTime({ createdAt: new Date(at), happenedAt, statedAt })
  return time === undefined ? at : Date.parse(time)
}
