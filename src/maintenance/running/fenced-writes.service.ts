import type { Database } from '../../db/connection.ts'
import { type Transaction, transact, transactAndRollBack } from '../../db/transaction.ts'
import { type BatchResult, RunEnded } from '../../jobs/runs/runs.ts'
import { addProgress, insertChanges, lockFence } from './batches.queries.ts'
import type { Work } from './batches.ts'
import { insertEffects } from './dry-run-effects.queries.ts'
import type { LeasedRun } from './leased-run.ts'
import { keepPlanned } from './planned-batches.service.ts'

/** The writes of a batch of a dry run, to be stored once the batch is rolled back. */
export type DryBatch = {
  result: BatchResult
  /** The rows that it wrote, as JSON. */
  effects: string | undefined
}

export type FencedWrites = ReturnType<typeof createFencedWrites>

/** Every write of a run checks the fence, so a worker that was paused until it lost its lease writes nothing more. */
export function createFencedWrites(db: Database, { job, fence, run }: LeasedRun) {
  async function requireFence(tx: Transaction): Promise<void> {
    const found = await lockFence(tx, { job, fence, runId: run.id })
    if (!found) throw new RunEnded('lease lost')
    if (found.cancel_requested) throw new RunEnded('cancelled')
  }

  function underFence<T>(work: Work<T>): Work<T> {
    return async (tx) => {
      await requireFence(tx)
      return work(tx)
    }
  }

  function transactUnderFence<T>(work: Work<T>): Promise<T> {
    return transact(db, {}, underFence(work))
  }

  function rollBackUnderFence<T>(work: Work<T>): Promise<T> {
    return transactAndRollBack(db, {}, underFence(work))
  }

  async function saveProgress(
    tx: Transaction,
    { done = 0, counts = {}, changes = [] }: BatchResult,
  ): Promise<void> {
    if (changes.length > 0) await insertChanges(tx, run.id, changes)
    const counted = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
    if (done > 0 || Object.keys(counted).length > 0) {
      await addProgress(tx, { id: run.id, done, counts: counted })
    }
  }

  function storeDryBatch({ result, effects }: DryBatch): Promise<void> {
    return transactUnderFence(async (tx) => {
      const { changes = [], ...progress } = result
      await saveProgress(tx, run.savesEffects ? progress : result)
      if (run.savesEffects) await keepPlanned(tx, run.id, changes, effects)
      else if (effects !== undefined) await insertEffects(tx, run.id, effects)
    })
  }

  return { requireFence, transactUnderFence, rollBackUnderFence, saveProgress, storeDryBatch }
}
