import { createHash } from 'node:crypto'
import type { Transaction } from '../../db/transaction.ts'
import type { Change } from '../../jobs/runs/runs.ts'
import { extendDigest, insertEffects, noteSources, readEffects } from './dry-run-effects.queries.ts'
import { insertPlannedChanges, listRescored } from './planned-batches.queries.ts'

/**
 * Reads the rows that a batch wrote, before it is rolled back; undefined for none. None are kept of what a job of the decay only
 * forgets: the record and its version tell all that must be known to forget it.
 */
export async function readDryBatch(tx: Transaction, runId: string): Promise<string | undefined> {
  await noteSources(tx, runId)
  return readEffects(tx, runId)
}

/** Lists the changes of a batch, and stores the rows that were read of it. */
export async function keepPlanned(
  tx: Transaction,
  planId: string,
  changes: readonly Change[],
  effects: string | undefined,
): Promise<void> {
  if (effects === undefined && changes.length === 0) return
  // The rows first: they tell the type and the scope of what would be created.
  if (effects !== undefined) await insertEffects(tx, planId, effects)
  const listed = JSON.stringify(changes)
  await insertPlannedChanges(tx, planId, listed)
  if (effects !== undefined) await listRescored(tx, planId)
  const kept = `[${listed},${JSON.stringify(effects ?? null)}]`
  await extendDigest(tx, planId, createHash('sha256').update(kept).digest('hex'))
}
