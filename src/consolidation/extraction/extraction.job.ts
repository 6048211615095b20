import type { Transaction } from '../../db/transaction.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import { abortWhenRunEnds } from '../../jobs/runs/abort-when-run-ends.ts'
import { isBatchFailure } from '../../jobs/runs/batch-failure.ts'
import { findRunFigures } from '../../jobs/runs/run-figures.queries.ts'
import { type Position, startPosition } from '../../jobs/runs/run-walk.ts'
import type { Clock } from '../../kernel/clock.ts'
import { describeFailure } from '../../kernel/log.ts'
import type { Chat } from '../../llm/chat.ts'
import { ModelFailure, maxModelFailures } from '../../llm/model-failure.ts'
import {
  addSpent,
  type Ceilings,
  isExhausted,
  nothingSpent,
  readSpent,
  type Spent,
  toFigures,
} from '../../llm/spending.ts'
import { lockTombstonesShared } from '../../records/index.ts'
import { type Episode, getEventTime } from '../episode.ts'
import { deleteUnconsolidated } from '../episode-batches.queries.ts'
import { describeAttempt, readEpisodes } from '../episode-batches.service.ts'
import type { Triple } from '../facts/fact-groups.ts'
import type { Facts } from '../facts/facts.service.ts'
import type { Stage, StageContext } from '../stages.ts'
import { askAboutEpisode, type ExtractionReply } from './episode-question.service.ts'
import { lockClaimed, postponeClaimed, releaseAllClaims, releaseClaims } from './extraction.queries.ts'
import { createExtractionClaims } from './extraction-claims.service.ts'

export type Extraction = {
  chat: Pick<Chat, 'ask'>
  /** Episodes above this sensitivity are not sent to the model. */
  maxSensitivity: Sensitivity
  /** Number of episodes that the model is asked about at the same time. */
  concurrency: number
  ceilings: Ceilings
}
type Resources = Extraction & { clock: Clock; facts: Facts }

const actor = 'consolidation/semantic-extractor'

/** Returns the stage that asks a chat model for lasting facts. No transaction is open during a model call. */
export function createExtractionStage({
  chat,
  maxSensitivity,
  concurrency,
  ceilings,
  clock,
  facts,
}: Resources): Stage {
  const { claimOrSkip, countRest } = createExtractionClaims({ clock, maxSensitivity })

  async function run(context: StageContext): Promise<void> {
    if (context.run.dryRun && !context.asksModel) return
    const readStopwatch = createStopwatch()
    let progress: Progress = { after: startPosition, failures: 0, spent: await findSpent(context) }
    for (let hasMore = true; hasMore; ) {
      const { after, failures, spent } = progress
      if (failures >= maxModelFailures || isExhausted(spent, ceilings)) return countRest(context, after)
      const { last, episodesToAsk } = await claimOrSkip(context, after, concurrency)
      hasMore = last !== undefined
      const replies = await askAll(context, episodesToAsk)
      for (const reply of replies) await storeReply(context, reply, readStopwatch())
      progress = advance({ ...progress, after: last ?? after }, replies)
      await recordFaultOfModel(context, replies)
    }
  }

  async function findSpent({ inBatch, run: { dryRun, id } }: StageContext): Promise<Spent> {
    const { spent } = await inBatch(async (tx) => {
      if (!dryRun) await releaseAllClaims(tx)
      return { done: 0, spent: dryRun ? nothingSpent : readSpent(await findRunFigures(tx, id), 'extraction') }
    })
    return spent
  }

  function askAll(context: StageContext, episodesToAsk: readonly Episode[]): Promise<ExtractionReply[]> {
    return abortWhenRunEnds(context, (signal) =>
      Promise.all(episodesToAsk.map((episode) => askAboutEpisode(episode, { chat, ceilings, signal }))),
    )
  }

  async function storeReply(context: StageContext, reply: ExtractionReply, ms: number): Promise<void> {
    const spending = { ...toFigures(reply.spent, 'extraction'), extraction_ms: ms }
    if ('failure' in reply) return postpone(context, reply, reply.failure, spending)
    try {
      await context.inBatch(async (tx) => {
        const stored = await storeFacts(tx, reply.episode.id, reply.answer, context)
        const { created, reinforced, changes } = stored
        const counts = { semantic_triples_extracted: created, duplicates_resolved: reinforced, ...spending }
        return { done: 1, counts, changes }
      })
    } catch (error) {
      if (!isBatchFailure(error)) throw error
      await postpone(context, reply, error, spending)
    }
  }

  /** Reads the episode again, because it may have been erased or become more sensitive while the model answered. */
  async function storeFacts(tx: Transaction, id: string, triples: readonly Triple[], { run }: StageContext) {
    await lockTombstonesShared(tx)
    const locked = await lockClaimed(tx, [id])
    const episodes = locked.length === 0 ? [] : await readEpisodes(tx, locked)
    const observedFacts = episodes.flatMap((episode) =>
      triples.map((fact) => ({ fact, episode, at: getEventTime(episode) })),
    )
    const options = { actor, now: clock.now(), runId: run.id, isDryRun: run.dryRun }
    const stored = await facts.store(tx, observedFacts, options)
    await deleteUnconsolidated(tx, 'extraction', [id])
    return stored
  }

  async function postpone(
    context: StageContext,
    { episode: { id } }: ExtractionReply,
    error: unknown,
    spending: Readonly<Record<string, number>>,
  ): Promise<void> {
    const isModelFault = error instanceof ModelFailure && error.affectsAllRequests
    const { postponed } = await context.inBatch(async (tx) => {
      if (isModelFault) await releaseClaims(tx, [id])
      const reason = describeFailure(error)
      const postponed = isModelFault ? undefined : await postponeClaimed(tx, { id, reason, now: clock.now() })
      return { postponed, counts: { ...spending, extraction_skipped: postponed ? 1 : 0 } }
    })
    if (!postponed) return
    const attempt = describeAttempt(postponed)
    await context.recordFault({ error, recordId: id, part: 'extraction', attempt })
  }

  return { name: 'extraction', run }
}

/** How far the run is, the failures in a row, and what it has spent. */
type Progress = { after: Position; failures: number; spent: Spent }

function advance(
  { after, failures: before, spent: spentBefore }: Progress,
  replies: readonly ExtractionReply[],
): Progress {
  let failures = before
  let spent = spentBefore
  for (const reply of replies) {
    spent = addSpent(spent, reply.spent)
    failures = 'failure' in reply && reply.failure.mayAffectOthers ? failures + 1 : 0
  }
  const isOver = replies.some((reply) => 'failure' in reply && reply.failure.affectsAllRequests)
  return { after, spent, failures: isOver ? maxModelFailures : failures }
}

/** If the key, the address or the model is wrong, it is a fault of the run, and not of an episode. */
async function recordFaultOfModel(context: StageContext, replies: readonly ExtractionReply[]): Promise<void> {
  const failures = replies.flatMap((reply) => ('failure' in reply ? reply.failure : []))
  const error = failures.find(({ affectsAllRequests, reason }) => affectsAllRequests && reason !== 'aborted')
  if (error) await context.recordFault({ error, part: 'extraction' })
}

function createStopwatch() {
  let startedMs = performance.now()
  return () => {
    const ms = Math.round(performance.now() - startedMs)
    startedMs = performance.now()
    return ms
  }
}
