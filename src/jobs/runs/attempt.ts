import { createSavepoint, releaseSavepoint, rollbackToSavepoint } from '../../db/savepoint.ts'
import type { Transaction } from '../../db/transaction.ts'
import { isBatchFailure } from './batch-failure.ts'
import type { BatchResult, RunContext } from './runs.ts'

/** Does a part of a batch, which goes on without it if it fails. Throws what no smaller part avoids. */
export async function attempt<T>(
  tx: Transaction,
  work: () => Promise<T>,
): Promise<{ result: T } | { error: unknown }> {
  await createSavepoint(tx, 'part')
  try {
    const result = await work()
    await releaseSavepoint(tx, 'part')
    return { result }
  } catch (error) {
    if (!isBatchFailure(error)) throw error
    await rollbackToSavepoint(tx, 'part')
    return { error }
  }
}

/** Does a batch, and records its failure if it fails: the run goes on without it. */
export async function attemptBatch(
  { inBatch, recordFault }: RunContext,
  about: { part: string; recordId: string },
  work: (tx: Transaction) => Promise<BatchResult>,
): Promise<void> {
  await inBatch(work).catch((error) => recordFault({ error, ...about }))
}
