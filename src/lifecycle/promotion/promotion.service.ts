import { sendWithNext } from '../../db/statements/deferred-statements.ts'
import type { Transaction } from '../../db/transaction.ts'
import { importanceTolerance, scoreUnused } from '../../domain/importance/importance.ts'
import type { Caller } from '../../domain/trust/caller.ts'
import { findRecords, type StoredRecord } from '../../records/index.ts'
import { type RescoreInput, rescore } from '../importance/importance.queries.ts'
import { promoteEpisodic, promoteWorking } from './promotion.queries.ts'

export type Promoted = { episodic: readonly string[]; semantic: readonly string[] }

/**
 * Promotes the records that have reached the limits of the next layer. The transaction must hold their locks.
 */
export async function promoteDue(
  tx: Transaction,
  { ids, now, runId = null }: RescoreInput,
): Promise<Promoted> {
  if (ids.length === 0) return { episodic: [], semantic: [] }
  const episodic = await promoteWorking(tx, { ids, now, runId })
  const semantic = await promoteEpisodic(tx, { ids, now, runId })
  const moved = [...new Set([...episodic, ...semantic])]
  if (moved.length > 0) await rescore(tx, { ids: moved, now, runId })
  return { episodic, semantic }
}

/**
 * Updates importance and layer of records after something happened to them. It runs in the same transaction, so that
 * the result does not depend on how often a job runs. Returns the new scores and the promoted ids. The transaction
 * must hold the locks of the records.
 */
export async function rescoreAndPromote(tx: Transaction, input: RescoreInput) {
  if (input.ids.length === 0) return { scores: new Map<string, number>(), promoted: new Set<string>() }
  const scores = await rescore(tx, input)
  const { episodic, semantic } = await promoteDue(tx, input)
  return { scores, promoted: new Set([...episodic, ...semantic]) }
}

/**
 * Updates importance and layer of one record in its new state as `rescoreAndPromote` does, without a query where neither needs a
 * change.
 */
export async function rescoreAndPromoteIfNeeded(
  tx: Transaction,
  record: StoredRecord,
  now: Date,
): Promise<void> {
  const { id, layer } = record
  if (!isScored(record, now)) await sendWithNext(() => rescore(tx, { ids: [id], now }))
  if (layer === 'working' || layer === 'episodic') await promoteDue(tx, { ids: [id], now })
}

/** Whether the importance is surely close enough. Only the database knows the uses of a record. */
function isScored(record: StoredRecord, now: Date): boolean {
  const distance = Math.abs(scoreUnused(record, now) - record.importance)
  return record.access_count === 0 && distance < 0.99 * importanceTolerance
}

/** Rescores and promotes records that were just changed, and returns them in their new state, as the caller may see them. */
export async function rescoreAndPromoteRecords(
  tx: Transaction,
  { trust }: Caller,
  changed: readonly StoredRecord[],
  now: Date,
): Promise<StoredRecord[]> {
  const { scores, promoted } = await rescoreAndPromote(tx, { ids: changed.map(({ id }) => id), now })
  const promotedRecords = promoted.size === 0 ? [] : await findRecords(tx, [...promoted], trust)
  const byId = new Map(promotedRecords.map((stored) => [stored.id, stored]))
  return changed.map(
    (stored) => byId.get(stored.id) ?? { ...stored, importance: scores.get(stored.id) ?? stored.importance },
  )
}

/** Updates importance and layer of one record as `rescoreAndPromote` does. */
export async function rescoreAndPromoteRecord(
  tx: Transaction,
  caller: Caller,
  changed: StoredRecord,
  now: Date,
): Promise<StoredRecord> {
  const [rescored = changed] = await rescoreAndPromoteRecords(tx, caller, [changed], now)
  return rescored
}
