import { createHash } from 'node:crypto'
import type { Transaction } from '../../db/transaction.ts'
import type { Change } from '../../jobs/runs.ts'
import { extendDigest, insertEffects, noteSources, readEffects } from './dry-run-effects.queries.ts'
import { insertPlannedChanges, listRescored } from './planned-batches.queries.ts'

/**
 * What is kept of a batch of a plan: the rows that it wrote. None are kept of what a job of the decay only forgets: the record
 * and its version tell all that must be known to forget it.
 */
export type Kept = { effects: string | undefined }
export const nothingKept: Kept = { effects: undefined }

/** Reads what a batch wrote, before it is rolled back. */
export async function readDryBatch(tx: Transaction, runId: string): Promise<Kept> {
  await noteSources(tx, runId)
  return { effects: await readEffects(tx, runId) }
}

/** Lists the changes of a batch, and stores what was read of it. */
export async function keepPlanned(
  tx: Transaction,
  planId: string,
  changes: readonly Change[],
  { effects }: Kept,
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
