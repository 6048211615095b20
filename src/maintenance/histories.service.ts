import { setTimeout as sleep } from 'node:timers/promises'
import type { BatchResult, RunContext } from '../jobs/runs/runs.ts'
import { dayMs, subtractMilliseconds } from '../kernel/units.ts'
import { analyzeHistory, findOldestKeptRun, type HistoryName, rotateHistory } from './histories.queries.ts'
import { runsKeptForMs } from './running/old-runs.queries.ts'

type Resources = {
  /** How long the audit log and the history of importance are kept. */
  historyRetentionMs: number
  minBytes?: number
  pauseMs?: number
}

type Batch = BatchResult & { isDone: boolean }

/** Below this size one partition is read faster than several. It is about 200,000 audit entries. */
const monthlyFromBytes = 64 * 2 ** 20
/** How often a table that others have locked is tried. After that it is left to the next run. */
const attempts = 5

/** Drops the months of the histories that are older than they are kept, and makes partitions for those to come. */
export function createHistoryKeeping({
  historyRetentionMs,
  minBytes = monthlyFromBytes,
  pauseMs = 2_000,
}: Resources) {
  async function keep(context: RunContext): Promise<void> {
    const now = context.run.startedAt
    const isKept = historyRetentionMs === Number.POSITIVE_INFINITY
    const logged = isKept ? null : subtractMilliseconds(now, historyRetentionMs)
    await rotate(context, 'audit_entries', async () => logged)
    await rotate(context, 'importance_history', async () => logged)
    await rotate(context, 'maintenance_changes', () => findFirstKept(context))
  }

  /** If one history fails, the purge must still reach the other tables. */
  async function rotate(
    context: RunContext,
    history: HistoryName,
    findKept: () => Promise<Date | null>,
  ): Promise<void> {
    try {
      const keepFrom = await findKept()
      await repeat(context, () => rotateOnce(context, history, keepFrom))
      await context.inBatch(async (tx): Promise<BatchResult> => {
        await analyzeHistory(tx, history)
        return {}
      })
    } catch (error) {
      await context.recordFault({ error, part: history })
    }
  }

  async function rotateOnce(
    { run, inBatch }: RunContext,
    history: HistoryName,
    keepFrom: Date | null,
  ): Promise<boolean> {
    const { isDone } = await inBatch(async (tx): Promise<Batch> => {
      const dropped = await rotateHistory(tx, history, { now: run.startedAt, keepFrom, minBytes })
      return { isDone: dropped !== null, counts: { history_months: dropped ?? 0 } }
    })
    return isDone
  }

  async function repeat({ throwIfEnded }: RunContext, work: () => Promise<boolean>): Promise<void> {
    for (let attempt = 1; !(await work()) && attempt < attempts; attempt++) {
      await sleep(pauseMs)
      await throwIfEnded()
    }
  }

  return { keep }
}

/** The changes of a run are in the month of its id, which is made when the run is requested. */
async function findFirstKept({ run, inBatch }: RunContext): Promise<Date> {
  const ended = subtractMilliseconds(run.startedAt, runsKeptForMs)
  const { oldest } = await inBatch(
    async (tx): Promise<BatchResult & { oldest: Date | null }> => ({
      oldest: await findOldestKeptRun(tx, { before: ended, now: run.startedAt }),
    }),
  )
  return oldest && oldest < ended ? subtractMilliseconds(oldest, dayMs) : ended
}
