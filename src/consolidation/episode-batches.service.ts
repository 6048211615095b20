import { isOutage } from '../db/failures.ts'
import type { Transaction } from '../db/transaction.ts'
import { type BatchResult, type Change, type RunContext, RunEnded } from '../jobs/runs.ts'
import type { Clock } from '../kernel/clock.ts'
import { describeFailure } from '../kernel/log.ts'
import { lockTombstonesShared } from '../records/index.ts'
import {
  claimReadableEpisodes,
  createSavepoint,
  deleteUnconsolidated,
  type Portion,
  type Position,
  postponeNext,
  releaseSavepoint,
  rollbackToSavepoint,
  start,
} from './episode-batches.queries.ts'
import { readEpisodes } from './episode-reading.service.ts'
import type { Consolidate, Figures, Stage, StageContext, StageName } from './stages.ts'

/**
 * Episodes of a batch. Many of them tell the same, which is then written once; more would hold the locks of what is
 * written for longer than a fraction of a second.
 */
const defaultBatchSize = 4_000

export type EpisodeBatchResult = Omit<BatchResult, 'counts'> & {
  counts?: Figures
  last: Position | undefined
}
type ProcessBatch = (tx: Transaction, portion: Portion) => Promise<EpisodeBatchResult>
type EpisodeWalk = { stage: StageName; clock: Clock; until: Date; processBatch: ProcessBatch; size?: number }

/** How a batch is done: in a transaction of its own, or as a part of the one that is taken back. */
type RunBatch = <T extends BatchResult>(work: (tx: Transaction) => Promise<T>) => Promise<T>
type Fault = Parameters<RunContext['recordFault']>[0]
type BatchRunner = { runBatch: RunBatch; recordFault(fault: Fault): Promise<void> }

/** A stage that learns from whole episodes, some at once. */
export function createEpisodeStage(
  name: StageName,
  { clock, size }: { clock: Clock; size?: number },
  consolidate: Consolidate,
): Stage {
  async function run(context: StageContext): Promise<void> {
    const { id: runId, dryRun: isDryRun, startedAt: until } = context.run
    const processBatch: ProcessBatch = async (tx, portion) => {
      // Before anything is read: what is erased meanwhile waits, and then finds what was made of it.
      await lockTombstonesShared(tx)
      const claimed = await claimReadableEpisodes(tx, portion)
      if (claimed.length === 0) return { last: undefined }
      const ids = claimed.map(({ id }) => id)
      const episodes = await readEpisodes(tx, ids)
      const { now } = portion
      const outcome = episodes.length === 0 ? {} : await consolidate(tx, { episodes, now, runId, isDryRun })
      await deleteUnconsolidated(tx, name, ids)
      return { ...outcome, done: claimed.length, last: claimed.at(-1) }
    }
    await walkEpisodes(context, {
      stage: name,
      clock,
      until,
      processBatch,
      ...(size === undefined ? {} : { size }),
    })
  }
  return { name, run }
}

/**
 * Through all that is due, in batches. A rehearsal is one transaction, for what a batch makes of an episode depends
 * on what those before it made.
 */
export async function walkEpisodes(context: RunContext, options: EpisodeWalk): Promise<void> {
  const runBatch = addTiming(options.stage, context.inBatch)
  if (!context.run.dryRun) return runBatches(context, options, { runBatch, recordFault: context.recordFault })
  const faults: Fault[] = []
  await runBatch(async (tx) => {
    const totals = createTotals()
    await runBatches(context, options, {
      runBatch: async (work) => {
        await context.throwIfEnded()
        return totals.add(await runInSavepoint(tx, work))
      },
      recordFault: async (fault) => void faults.push(fault),
    })
    return totals.total()
  })
  for (const fault of faults) await context.recordFault(fault)
}

/** A batch that fails is tried again in smaller ones, down to the episode that makes it fail, and past it. */
async function runBatches(
  { run }: RunContext,
  { stage, clock, until, processBatch, size: maxSize = defaultBatchSize }: EpisodeWalk,
  { runBatch, recordFault }: BatchRunner,
): Promise<void> {
  let after: Position | undefined = start
  let limit = maxSize
  while (after) {
    const portion: Portion = { stage, scope: run.scope, until, after, limit, now: clock.now() }
    try {
      after = (await runBatch((tx) => processBatch(tx, portion))).last
      limit = Math.min(limit * 2, maxSize)
    } catch (error) {
      if (error instanceof RunEnded || isOutage(error)) throw error
      limit = Math.ceil(portion.limit / 4)
      if (portion.limit === 1) after = await skipEpisode(portion, error, { runBatch, recordFault })
    }
  }
}

async function skipEpisode(
  portion: Portion,
  error: unknown,
  { runBatch, recordFault }: BatchRunner,
): Promise<Position | undefined> {
  const { failed: postponed } = await runBatch(async (tx) => {
    const postponed = await postponeNext(tx, portion, describeFailure(error))
    return { failed: postponed, counts: postponed ? { extraction_skipped: 1 } : {} }
  })
  if (!postponed) return undefined
  const attempt = `attempt ${postponed.attempts}${postponed.is_given_up ? ', given up' : ''}`
  await recordFault({ error, recordId: postponed.id, part: portion.stage, attempt })
  return postponed
}

async function runInSavepoint<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await createSavepoint(tx)
  try {
    const outcome = await work(tx)
    await releaseSavepoint(tx)
    return outcome
  } catch (error) {
    if (!isOutage(error)) await rollbackToSavepoint(tx)
    throw error
  }
}

/** How long each stage took is a figure of the run like any other. */
function addTiming(stage: StageName, runBatch: RunBatch): RunBatch {
  return (work) =>
    runBatch(async (tx) => {
      const startedMs = performance.now()
      const outcome = await work(tx)
      const ms = Math.round(performance.now() - startedMs)
      return { ...outcome, counts: { ...outcome.counts, [`${stage}_ms`]: ms } }
    })
}

function createTotals() {
  const counts: Record<string, number> = {}
  const changes: Change[] = []
  let done = 0
  return {
    add<T extends BatchResult>(batch: T): T {
      done += batch.done ?? 0
      changes.push(...(batch.changes ?? []))
      for (const [name, count] of Object.entries(batch.counts ?? {})) {
        counts[name] = (counts[name] ?? 0) + count
      }
      return batch
    },
    total: (): BatchResult => ({ done, counts, changes }),
  }
}
