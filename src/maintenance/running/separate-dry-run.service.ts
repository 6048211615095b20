import type { Database } from '../../db/connection.ts'
import { saveEffects } from '../../db/run-effects.ts'
import type { BatchResult, Run } from '../../jobs/runs.ts'
import { type Batches, holdsNothing, type Work } from './batches.ts'
import type { DryBatch, FencedWrites } from './fenced-writes.service.ts'
import { readDryBatch } from './planned-batches.service.ts'

/** Rolls back the transaction of a dry run. */
class DryRunRollback extends Error {}

/** A dry run whose batches do not depend on each other: each is a transaction that is rolled back. */
export function createSeparateDryRun(
  db: Database,
  run: Run,
  { transactUnderFence, storeDryBatch }: FencedWrites,
): Batches {
  async function perform<T extends BatchResult>(work: Work<T>): Promise<T> {
    let batch: (DryBatch & { result: T }) | undefined
    await transactUnderFence(async (tx) => {
      if (run.savesEffects) await saveEffects(tx, run)
      const result = await work(tx)
      batch = { result, effects: run.savesEffects ? await readDryBatch(tx, run.id) : undefined }
      throw new DryRunRollback()
    }).catch((error) => {
      if (!(error instanceof DryRunRollback)) throw error
    })
    if (batch === undefined) throw new TypeError('a dry run without a result')
    await storeDryBatch(batch)
    return batch.result
  }

  return { db, perform, ...holdsNothing }
}
