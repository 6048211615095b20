import { isOutage } from '../db/failures.ts'
import type { Transaction } from '../db/transaction.ts'
import { type BatchResult, type Change, type RunContext, RunEnded } from '../jobs/runs.ts'
import type { Clock } from '../kernel/clock.ts'
import { describeFailure } from '../kernel/log.ts'
import { lockTombstonesShared } from '../records/index.ts'
import {
  beginPart,
  claimReadable,
  endPart,
  finish,
  type Portion,
  type Position,
  putOff,
  start,
  undoPart,
} from './episode-batches.queries.ts'
import { readEpisodes } from './episode-reading.service.ts'
import type { Consolidate, Figures, Stage, StageContext, StageName } from './stages.ts'

/**
 * Episodes of a batch. Many of them tell the same, which is then written once; more would hold the locks of what is
 * written for longer than a fraction of a second.
 */
const usualSize = 4_000

export type Step = Omit<BatchResult, 'counts'> & { counts?: Figures; last: Position | undefined }
type Next = (tx: Transaction, portion: Portion) => Promise<Step>
type Walk = { stage: StageName; clock: Clock; until: Date; next: Next; size?: number }

/** How a batch is done: in a transaction of its own, or as a part of the one that is taken back. */
type Perform = <T extends BatchResult>(work: (tx: Transaction) => Promise<T>) => Promise<T>
type Fault = Parameters<RunContext['recordFault']>[0]
type Means = { perform: Perform; recordFault(fault: Fault): Promise<void> }

/** A stage that learns from whole episodes, some at once. */
export function createEpisodeStage(
  name: StageName,
  { clock, size }: { clock: Clock; size?: number },
  consolidate: Consolidate,
): Stage {
  async function run(context: StageContext): Promise<void> {
    const { id: runId, dryRun: isRehearsal, startedAt: until } = context.run
    const next: Next = async (tx, portion) => {
      // Before anything is read: what is erased meanwhile waits, and then finds what was made of it.
      await lockTombstonesShared(tx)
      const claimed = await claimReadable(tx, portion)
      if (claimed.length === 0) return { last: undefined }
      const ids = claimed.map(({ id }) => id)
      const episodes = await readEpisodes(tx, ids)
      const { now } = portion
      const outcome =
        episodes.length === 0 ? {} : await consolidate(tx, { episodes, now, runId, isRehearsal })
      await finish(tx, name, ids)
      return { ...outcome, done: claimed.length, last: claimed.at(-1) }
    }
    await walk(context, { stage: name, clock, until, next, ...(size === undefined ? {} : { size }) })
  }
  return { name, run }
}

/**
 * Through all that is due, in batches. A rehearsal is one transaction, for what a batch makes of an episode depends
 * on what those before it made.
 */
export async function walk(context: RunContext, asked: Walk): Promise<void> {
  const perform = timed(asked.stage, context.inBatch)
  if (!context.run.dryRun) return proceed(context, asked, { perform, recordFault: context.recordFault })
  const faults: Fault[] = []
  await perform(async (tx) => {
    const sum = createSum()
    await proceed(context, asked, {
      perform: async (work) => {
        await context.throwIfEnded()
        return sum.add(await performPart(tx, work))
      },
      recordFault: async (fault) => void faults.push(fault),
    })
    return sum.total()
  })
  for (const fault of faults) await context.recordFault(fault)
}

/** A batch that fails is tried again in smaller ones, down to the episode that makes it fail, and past it. */
async function proceed(
  { run }: RunContext,
  { stage, clock, until, next, size: usual = usualSize }: Walk,
  { perform, recordFault }: Means,
): Promise<void> {
  let after: Position | undefined = start
  let limit = usual
  while (after) {
    const portion: Portion = { stage, scope: run.scope, until, after, limit, now: clock.now() }
    try {
      after = (await perform((tx) => next(tx, portion))).last
      limit = Math.min(limit * 2, usual)
    } catch (error) {
      if (error instanceof RunEnded || isOutage(error)) throw error
      limit = Math.ceil(portion.limit / 4)
      if (portion.limit === 1) after = await passOver(portion, error, { perform, recordFault })
    }
  }
}

async function passOver(
  portion: Portion,
  error: unknown,
  { perform, recordFault }: Means,
): Promise<Position | undefined> {
  const { failed } = await perform(async (tx) => {
    const failed = await putOff(tx, portion, describeFailure(error))
    return { failed, counts: failed ? { extraction_skipped: 1 } : {} }
  })
  if (!failed) return undefined
  const attempt = `attempt ${failed.attempts}${failed.is_given_up ? ', given up' : ''}`
  await recordFault({ error, recordId: failed.id, part: portion.stage, attempt })
  return failed
}

async function performPart<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await beginPart(tx)
  try {
    const outcome = await work(tx)
    await endPart(tx)
    return outcome
  } catch (error) {
    if (!isOutage(error)) await undoPart(tx)
    throw error
  }
}

/** How long each stage took is a figure of the run like any other. */
function timed(stage: StageName, perform: Perform): Perform {
  return (work) =>
    perform(async (tx) => {
      const began = performance.now()
      const outcome = await work(tx)
      const ms = Math.round(performance.now() - began)
      return { ...outcome, counts: { ...outcome.counts, [`${stage}_ms`]: ms } }
    })
}

function createSum() {
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
