import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'
import { isBatchFailure } from './batch-failure.ts'
import { finishRange, hasOpenRanges, insertRanges, type Range, takeRange } from './ranges.queries.ts'
import type { BatchResult, Run, RunContext } from './runs.ts'

/** How long the leading worker waits before it looks again for a range that another worker holds. */
const retryMs = 20

type Resources = {
  db: Database
  /** Pages of a range. A batch holds the locks of the rows it changes for a fraction of a second. */
  blocks: number
  perform(tx: Transaction, run: Run, range: Range): Promise<BatchResult>
  /** Handles a range whose batch failed. The range then counts as finished. */
  recover?(context: RunContext, range: Range): Promise<void>
}

/** Work on the whole table of records, which several workers share range by range. */
export function createSharedRanges({ db, blocks, perform, recover }: Resources) {
  /** Divides the table into ranges, once per run. */
  async function divide(context: RunContext): Promise<void> {
    await context.inBatch((tx) => insertRanges(tx, context.run.id, blocks).then(() => ({})))
  }

  /** Returns when every range is finished, also those that another worker gave up when its transaction ended. */
  async function finishAll(context: RunContext): Promise<void> {
    while (await hasOpenRanges(db, context.run.id)) {
      await processFree(context)
      await sleep(retryMs)
    }
  }

  /** Processes ranges until no free one is left. */
  async function processFree(context: RunContext): Promise<void> {
    while (await processNext(context)) {}
  }

  async function processNext(context: RunContext): Promise<boolean> {
    const { run } = context
    let taken: Range | undefined
    try {
      await context.inBatch(async (tx) => {
        taken = await takeRange(tx, run.id)
        if (!taken) return {}
        const result = await perform(tx, run, taken)
        await finishRange(tx, run.id, taken)
        return result
      })
    } catch (error) {
      const range = taken
      if (!range || !isBatchFailure(error)) throw error
      await recover?.(context, range)
      await context.inBatch((tx) => finishRange(tx, run.id, range).then(() => ({})))
    }
    return taken !== undefined
  }

  return { divide, finishAll, processFree }
}
