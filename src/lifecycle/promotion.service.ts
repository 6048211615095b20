import type { Database } from '../db/connection.ts'
import type { Caller } from '../domain/caller.ts'
import { findRecords, type StoredRecord } from '../records/index.ts'
import { moveScores, type RescoreInput, rescore } from './importance.queries.ts'
import { promoteEpisodic, promoteWorking } from './promotion.queries.ts'

export type Promoted = { episodic: readonly string[]; semantic: readonly string[] }

/** Moves those of the records that have come far enough. The transaction must have locked them. */
export async function promoteDue(tx: Database, { ids, now, runId = null }: RescoreInput): Promise<Promoted> {
  if (ids.length === 0) return { episodic: [], semantic: [] }
  const episodic = await promoteWorking(tx, { ids, now, runId })
  const semantic = await promoteEpisodic(tx, { ids, now, runId })
  const moved = [...new Set([...episodic, ...semantic])]
  if (moved.length > 0) await rescore(tx, { ids: moved, now, runId })
  return { episodic, semantic }
}

/**
 * What records are worth and the layer they belong in, after something happened to them: in the transaction in which
 * it did, so that no job's frequency decides it. Answers what those that moved have come to. They must be locked.
 */
export async function rescoreAndPromote(tx: Database, asked: RescoreInput) {
  if (asked.ids.length === 0) return { scores: new Map<string, number>(), promoted: new Set<string>() }
  const scores = await moveScores(tx, asked)
  const { episodic, semantic } = await promoteDue(tx, asked)
  return { scores, promoted: new Set([...episodic, ...semantic]) }
}

/** The same for records that were just changed: as they stand then, and as the caller may see them. */
export async function rescoreAndPromoteRecords(
  tx: Database,
  { trust }: Caller,
  changed: readonly StoredRecord[],
  now: Date,
): Promise<StoredRecord[]> {
  const { scores, promoted } = await rescoreAndPromote(tx, { ids: changed.map(({ id }) => id), now })
  const anew = promoted.size === 0 ? [] : await findRecords(tx, [...promoted], trust)
  const byId = new Map(anew.map((stored) => [stored.id, stored]))
  return changed.map(
    (stored) => byId.get(stored.id) ?? { ...stored, importance: scores.get(stored.id) ?? stored.importance },
  )
}

export async function rescoreAndPromoteRecord(
  tx: Database,
  caller: Caller,
  changed: StoredRecord,
  now: Date,
): Promise<StoredRecord> {
  const [weighed = changed] = await rescoreAndPromoteRecords(tx, caller, [changed], now)
  return weighed
}
