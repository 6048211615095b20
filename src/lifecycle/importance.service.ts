import type { Database } from '../db/connection.ts'
import type { StoredRecord } from '../records/index.ts'
import { moveScores } from './importance.queries.ts'

/** Returns a changed record with its new importance. */
export async function rescoreRecord(tx: Database, stored: StoredRecord, now: Date): Promise<StoredRecord> {
  const scores = await moveScores(tx, { ids: [stored.id], now })
  return { ...stored, importance: scores.get(stored.id) ?? stored.importance }
}
