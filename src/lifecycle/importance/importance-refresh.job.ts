import type { Database } from '../../db/connection.ts'
import { stopSavingEffects } from '../../db/run-effects.ts'
import type { Transaction } from '../../db/transaction.ts'
import { attemptBatch } from '../../jobs/runs/attempt.ts'
import { isBatchFailure } from '../../jobs/runs/batch-failure.ts'
import type { Range } from '../../jobs/runs/ranges.queries.ts'
import type { JobWork, Run, RunContext } from '../../jobs/runs/runs.ts'
import { createSharedRanges } from '../../jobs/runs/shared-ranges.ts'
import {
  countRefreshable,
  listRefreshable,
  type RefreshInput,
  refreshScores,
} from './importance-refresh.queries.ts'
import { judgeOldRecords } from './rejudging.job.ts'
import { countUnjudged } from './rejudging.queries.ts'

type Resources = {
  db: Database
  /** Pages of a batch. A batch holds the locks of the rows it changes for a fraction of a second. */
  blocks?: number
}

/** `count` returns how many records a run would examine. */
export type Refresh = JobWork &
  Required<Pick<JobWork, 'help'>> & { count(context: RunContext): Promise<number> }

const refreshCounts = ['refreshed'] as const
const rejudgingCounts = ['judged', ...refreshCounts] as const

/**
 * Brings the stored importance near the exact one, which falls as time passes. Uses and changes of a record update it
 * when they happen.
 */
export function createImportanceRefresh({ db, blocks = 256 }: Resources): Refresh {
  const ranges = createSharedRanges({ db, blocks, perform: refresh, recover: refreshHalves })

  async function run(context: RunContext): Promise<void> {
    const { scope, options } = context.run
    const { records, blocks: end } = await countRefreshable(context.db, scope)
    const isRejudging = options['rejudge'] === true
    const unjudged = isRejudging ? await countUnjudged(db, scope) : 0
    await context.setTotal(records + unjudged, isRejudging ? rejudgingCounts : refreshCounts)
    if (isRejudging) await judgeOldRecords(context)
    if (records === 0) return
    if (context.run.dryRun) return refreshDry(context, end)
    await ranges.divide(context)
    await ranges.finishAll(context)
  }

  /**
   * A dry run rolls back every batch, and with it the marks of finished ranges, so it does not use ranges.
   */
  async function refreshDry(context: RunContext, end: number): Promise<void> {
    for (let first = 0; first < end; first += blocks) {
      await refreshRange(context, { first_block: first, end_block: first + blocks })
    }
  }

  return {
    run,
    help: ranges.processFree,
    // A judged record is scored again.
    batchesDepend: ({ options }) => options['rejudge'] === true,
    count: async ({ run: { scope } }) => (await countRefreshable(db, scope)).records,
  }
}

async function refreshRange(context: RunContext, range: Range): Promise<void> {
  try {
    await context.inBatch((tx) => refresh(tx, context.run, range))
  } catch (error) {
    if (!isBatchFailure(error)) throw error
    await refreshHalves(context, range)
  }
}

/** A failing range is halved until the failing record is found. That record is reported and skipped. */
async function refreshHalves(
  context: RunContext,
  { first_block: first, end_block: end }: Range,
): Promise<void> {
  const middle = Math.floor((first + end) / 2)
  if (middle === first) return refreshEach(context, { first_block: first, end_block: end })
  await refreshRange(context, { first_block: first, end_block: middle })
  await refreshRange(context, { first_block: middle, end_block: end })
}

async function refreshEach(context: RunContext, range: Range): Promise<void> {
  const { run } = context
  const { ids } = await context.inBatch(async (tx) => ({
    counts: {},
    ids: await listRefreshable(tx, range, run.scope),
  }))
  for (const id of ids) {
    await attemptBatch(context, { part: 'importance', recordId: id }, (tx) => refresh(tx, run, { id }))
  }
}

/**
 * Every score is as of the start of the run, so a run that another worker continues changes nothing twice.
 */
async function refresh(tx: Transaction, { id, scope, startedAt, dryRun }: Run, part: RefreshInput['part']) {
  // The history of the importance names the run.
  if (!dryRun) await stopSavingEffects(tx)
  const { seen, moved } = await refreshScores(tx, { part, scope, now: startedAt, runId: id })
  return { done: seen, counts: { refreshed: moved } }
}
