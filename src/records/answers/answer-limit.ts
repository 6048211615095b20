import type { WrittenRecord } from '../records.schemas.ts'

/**
 * Returns a function that shows the records of one answer: the first always whole, and only the id and version of those that come
 * after `most` bytes.
 */
export function createAnswerLimit(most: number): (record: WrittenRecord) => WrittenRecord {
  let bytes = 0
  return (record) => {
    if (bytes >= most) return shortenWritten(record)
    const isFirst = bytes === 0
    bytes += Buffer.byteLength(JSON.stringify(record))
    return isFirst || bytes <= most ? record : shortenWritten(record)
  }
}

/** The members that an answer has for a record that no longer fits into it. */
export function shortenWritten({ id, version }: WrittenRecord): WrittenRecord {
  return { id, version }
}
