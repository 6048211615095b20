import { isOutage } from '../db/failures.ts'
import type { Transaction } from '../db/transaction.ts'
import { type BatchResult, type RunContext, RunEnded } from '../jobs/runs.ts'

type FaultContext = { part: string; recordId: string }

/** Runs work in a batch of its own. If it fails, records the fault and lets the run continue. */
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
