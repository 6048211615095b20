import type { Transaction } from '../db/transaction.ts'
import { maskSecrets, maskText } from '../domain/secrets/masking.ts'
import { timeBatches } from '../jobs/runs/batch-timing.ts'
import { walkInBatches } from '../jobs/runs/batch-walk.ts'
import { type Position, startPosition } from '../jobs/runs/run-walk.ts'
import { type BatchResult, findEffectsRunId, type Run, type RunContext } from '../jobs/runs/runs.ts'
import type { Clock } from '../kernel/clock.ts'
import { describeFailure } from '../kernel/log.ts'
import { lockTombstonesShared } from '../records/index.ts'
import type { Episode } from './episode.ts'
import {
  claimReadableEpisodes,
  deleteUnconsolidated,
  findEpisodes,
  type Portion,
  type PostponedEpisode,
  postponeNext,
} from './episode-batches.queries.ts'
import { runInParallel } from './parallel-stages.service.ts'
import type { Consolidate, Figures, Stage, StageContext, StageName } from './stages.ts'

/**
 * Episodes per batch. A larger batch writes equal facts once, but holds the locks of its records for longer than a
 * fraction of a second.
 */
const defaultBatchSize = 4_000

export type EpisodeBatchResult = Omit<BatchResult, 'counts'> & {
  counts?: Figures
  last: Position | undefined
}
type ProcessBatch = (tx: Transaction, portion: Portion) => Promise<EpisodeBatchResult>
type EpisodeWalk = {
  stage: StageName
  clock: Clock
  until: Date
  processBatch: ProcessBatch
  size?: number | undefined
  /** Whether two walks at the same time have half of the scopes each. */
  isHalved?: boolean
}

type BatchRunner = Pick<RunContext, 'inBatch' | 'recordFault'>

/** Returns a stage that processes whole episodes in batches. */
export function createEpisodeStage(
  name: StageName,
  options: Pick<EpisodeWalk, 'clock' | 'size' | 'isHalved'>,
  consolidate: Consolidate,
): Stage {
  async function run(context: StageContext): Promise<void> {
    const { id: runId, dryRun: isDryRun, startedAt: until } = context.run
    const effectsRunId = findEffectsRunId(context.run)
    const processBatch: ProcessBatch = async (tx, portion) => {
      // Takes the lock before it reads: an erasure waits for this batch and then finds the records made from it.
      await lockTombstonesShared(tx)
      const claimed = await claimReadableEpisodes(tx, portion)
      if (claimed.length === 0) return { last: undefined }
      const ids = claimed.map(({ id }) => id)
      const episodes = await readEpisodes(tx, ids)
      const { now } = portion
      const outcome =
        episodes.length === 0 ? {} : await consolidate(tx, { episodes, now, runId, isDryRun, effectsRunId })
      await deleteUnconsolidated(tx, name, ids)
      return { ...outcome, done: claimed.length, last: claimed.at(-1) }
    }
    await walkEpisodes(context, { ...options, stage: name, until, processBatch })
  }
  return { name, run }
}

/**
 * Processes all due rows in batches. Two walks at the same time are a sixth faster than one, which waits for the database
 * while it computes.
 */
export function walkEpisodes(context: RunContext, options: EpisodeWalk): Promise<void> {
  const { run, recordFault } = context
  const walk = (inBatch: RunContext['inBatch'], half?: 0 | 1) =>
    runBatches(run, options, { inBatch: timeBatches(options.stage, inBatch), recordFault }, half)
  if (run.dryRun || !options.isHalved || run.scope !== null) return walk(context.inBatch)
  return runInParallel([(inBatch) => walk(inBatch, 0), (inBatch) => walk(inBatch, 1)], context)
}

function runBatches(
  { scope }: Run,
  { stage, clock, until, processBatch, size = defaultBatchSize }: EpisodeWalk,
  runner: BatchRunner,
  half?: 0 | 1,
): Promise<void> {
  const createPortion = (after: Position, limit: number): Portion => ({
    stage,
    scope,
    half,
    until,
    after,
    limit,
    now: clock.now(),
  })
  return walkInBatches({
    start: startPosition,
    size,
    doBatch: async (after, limit) => {
      const portion = createPortion(after, limit)
      return (await runner.inBatch((tx) => processBatch(tx, portion))).last
    },
    skipRecord: (after, error) => skipEpisode(createPortion(after, 1), error, runner),
  })
}

/** Postpones the next episode of the portion, which failed by itself. Returns its position. */
export async function skipEpisode(
  portion: Portion,
  error: unknown,
  { inBatch, recordFault }: BatchRunner,
): Promise<Position | undefined> {
  const { postponed } = await inBatch(async (tx) => {
    const postponed = await postponeNext(tx, portion, describeFailure(error))
    return { postponed, counts: postponed ? { extraction_skipped: 1 } : {} }
  })
  if (!postponed) return undefined
  const attempt = describeAttempt(postponed)
  await recordFault({ error, recordId: postponed.id, part: portion.stage, attempt })
  return postponed
}

export function describeAttempt({
  attempts,
  is_given_up: isGivenUp,
}: Pick<PostponedEpisode, 'attempts' | 'is_given_up'>): string {
  return `attempt ${attempts}${isGivenUp ? ', given up' : ''}`
}

/** Returns episodes with their secrets masked. Stages read episodes only through this function. */
export async function readEpisodes(tx: Transaction, ids: readonly string[]): Promise<Episode[]> {
  return (await findEpisodes(tx, ids)).map((episode) => ({
    ...episode,
    tags: episode.tags.map(maskText),
    // A mask replaces a value and keeps the shape of the payload.
    payload: maskSecrets(episode.payload) as Episode['payload'],
  }))
}
