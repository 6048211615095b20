import type { Transaction } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { createServiceCaller } from '../../domain/trust/caller.ts'
import { AppError } from '../../kernel/errors.ts'
import {
  type Change,
  findErasedRecords,
  loadManyForUpdate,
  reactivateRecord,
  writeChange,
} from '../../records/index.ts'
import { findSalienceBeforeMerge } from './merge-reversal.queries.ts'

type ReversalInput = Pick<Change, 'actor' | 'rationale' | 'now' | 'textLanguage' | 'runId'>

/**
 * Makes merged records active again, with their salience from before the merge, fading from now on. Reverts all of them,
 * also those that the caller cannot see: half a merge would leave the other half without a successor. A record whose
 * content was erased from its scope stays merged. Returns the ids of the reverted records. Call it in a transaction that
 * holds the tombstones before it locks records.
 */
export async function revertMerge(
  tx: Transaction,
  seal: Seal,
  ids: readonly string[],
  input: ReversalInput,
): Promise<string[]> {
  if (ids.length === 0) return []
  const sources = await loadManyForUpdate(tx, { caller: createServiceCaller(input.actor, 'dream') }, ids)
  const salienceBefore = new Map(
    (await findSalienceBeforeMerge(tx, ids)).map(({ id, salience }) => [id, salience]),
  )
  const merged = sources.flatMap((stored) =>
    stored instanceof AppError || stored.status !== 'merged' ? [] : [stored],
  )
  const erased = await findErasedRecords(tx, seal, merged)
  const reverted: string[] = []
  for (const stored of merged) {
    if (erased.has(stored.id)) continue
    await writeChange(tx, stored, {
      ...input,
      action: 'status',
      status: { to: 'active', step: 'revert', reverts: true },
      ...reactivateRecord(stored, salienceBefore.get(stored.id), input.now),
    })
    reverted.push(stored.id)
  }
  return reverted
}
