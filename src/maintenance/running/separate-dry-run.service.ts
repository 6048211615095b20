import type { Database } from '../../db/connection.ts'
import { saveEffects } from '../../db/run-effects.ts'
import type { BatchResult, Run } from '../../jobs/runs/runs.ts'
import { type Batches, holdsNothing, type Work } from './batches.ts'
import type { FencedWrites } from './fenced-writes.service.ts'
import { readDryBatch } from './planned-batches.service.ts'

/** A dry run whose batches do not depend on each other: each is a transaction that is rolled back. */
export function createSeparateDryRun(
  db: Database,
  run: Run,
  { rollBackUnderFence, storeDryBatch }: FencedWrites,
): Batches {
  async function perform<T extends BatchResult>(work: Work<T>): Promise<T> {
    const batch = await rollBackUnderFence(async (tx) => {
      if (run.savesEffects) await saveEffects(tx, run)
      const result = await work(tx)
      return { result, effects: run.savesEffects ? await readDryBatch(tx, run.id) : undefined }
    })
    await storeDryBatch(batch)
    return batch.result
  }

  return { db, perform, ...holdsNothing }
}
