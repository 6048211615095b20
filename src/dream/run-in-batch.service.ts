import { isOutage } from '../db/failures.ts'
import type { Transaction } from '../db/transaction.ts'
import { type BatchResult, type RunContext, RunEnded } from '../jobs/runs.ts'

type FaultContext = { part: string; recordId: string }

/** One outcome in a transaction of its own: where it fails, the run tells of it and goes on. */
export async function runInBatch(
  context: RunContext,
  faultContext: FaultContext,
  work: (tx: Transaction) => Promise<BatchResult>,
): Promise<void> {
  try {
    await context.inBatch(work)
  } catch (error) {
    if (error instanceof RunEnded || isOutage(error)) throw error
    await context.recordFault({ error, ...faultContext })
  }
}
