import { isOutage } from '../../db/failures.ts'
import type { Transaction } from '../../db/transaction.ts'
import { rankOf, type Sensitivity } from '../../domain/caller.ts'
import { abortWhenRunEnds } from '../../jobs/abort-when-run-ends.ts'
import { RunEnded } from '../../jobs/runs.ts'
import type { Clock } from '../../kernel/clock.ts'
import { describeFailure } from '../../kernel/log.ts'
import type { Chat } from '../../llm/chat.ts'
import { ModelFailure } from '../../llm/model-failure.ts'
import { add, type Ceilings, isExhausted, nothingSpent, type Spent } from '../../llm/spending.ts'
import { lockTombstonesShared } from '../../records/index.ts'
import {
  claimReadable,
  countDue,
  finish,
  type Portion,
  type Position,
  start,
} from '../episode-batches.queries.ts'
import { readEpisodes } from '../episode-reading.service.ts'
import type { Said } from '../facts/fact-groups.ts'
import type { Facts } from '../facts/facts.service.ts'
import { timeOf } from '../practices/outcome-counts.ts'
import type { Episode, Stage, StageContext } from '../stages.ts'
import { findSpent, keepClaimed, lockHeld, putOffHeld, release, releaseAll } from './extraction.queries.ts'
import { type Asked, askFor } from './extraction-prompt.service.ts'

export type Extraction = {
  chat: Pick<Chat, 'ask'>
  /** Nothing more sensitive is sent to the model. */
  maxSensitivity: Sensitivity
  /** Episodes that are put to the model at once. */
  concurrency: number
  ceilings: Ceilings
}
type Resources = Extraction & { clock: Clock; facts: Facts }

const actor = 'consolidation/semantic-extractor'

/** Longer than a model is waited for; a claim that is left behind is given back by the next run anyhow. */
const leaseMs = 15 * 60_000

/** After as many without an answer the model is taken for dead: the rest waits for the next run. */
const mostFailures = 3

/** Lasting facts, by a chat model, which no transaction waits for. */
export function createExtraction({
  chat,
  maxSensitivity,
  concurrency,
  ceilings,
  clock,
  facts,
}: Resources): Stage {
  const isAbove = ({ sensitivity }: Episode) => rankOf(sensitivity) > rankOf(maxSensitivity)

  async function run(context: StageContext): Promise<void> {
    if (context.run.dryRun && !context.asksModel) return
    const lap = createLap()
    let standing: Standing = { after: start, failures: 0, spent: await begin(context) }
    for (let isLeft = true; isLeft; ) {
      const { after, failures, spent } = standing
      if (failures >= mostFailures || isExhausted(spent, ceilings)) return skipRest(context, after)
      const { last, asking } = await claim(context, after)
      isLeft = last !== undefined
      const replies = await askAll(context, asking)
      for (const reply of replies) await conclude(context, reply, lap())
      standing = goOn({ ...standing, after: last ?? after }, replies)
    }
  }

  async function begin({ inBatch, run: { dryRun, id } }: StageContext): Promise<Spent> {
    const { spent } = await inBatch(async (tx) => {
      if (!dryRun) await releaseAll(tx)
      return { done: 0, spent: dryRun ? nothingSpent : await findSpent(tx, id) }
    })
    return spent
  }

  function askAll(context: StageContext, asking: readonly Episode[]): Promise<Asked[]> {
    return abortWhenRunEnds(context, (signal) =>
      Promise.all(asking.map((episode) => askFor(episode, { chat, ceilings, signal }))),
    )
  }

  function portionOf({ run: { scope, startedAt } }: StageContext, after: Position, limit: number): Portion {
    return { stage: 'extraction', scope, until: startedAt, now: clock.now(), after, limit }
  }

  /** What cannot or must not be read by a model is done with; the rest is held while the model thinks. */
  function claim(context: StageContext, after: Position) {
    return context.inBatch(async (tx) => {
      const portion = portionOf(context, after, concurrency)
      const claimed = await claimReadable(tx, portion)
      const ids = claimed.map(({ id }) => id)
      const episodes = ids.length === 0 ? [] : await readEpisodes(tx, ids)
      const asking = episodes.filter((episode) => !isAbove(episode))
      const asked = new Set(asking.map(({ id }) => id))
      const others = ids.filter((id) => !asked.has(id))
      if (others.length > 0) await finish(tx, 'extraction', others)
      if (asked.size > 0) await keepClaimed(tx, [...asked], new Date(portion.now.getTime() + leaseMs))
      const counts = { extraction_skipped: episodes.length - asking.length }
      return { last: claimed.at(-1), asking, done: others.length, counts }
    })
  }

  async function conclude(context: StageContext, reply: Asked, ms: number): Promise<void> {
    const spending = { ...countsOf(reply.spent), extraction_ms: ms }
    if ('failure' in reply) return putOff(context, reply, reply.failure, spending)
    try {
      await context.inBatch(async (tx) => {
        const kept = await keep(tx, reply.episode.id, reply.answer, context)
        const { created, reinforced, changes } = kept
        const counts = { semantic_triples_extracted: created, duplicates_resolved: reinforced, ...spending }
        return { done: 1, counts, changes }
      })
    } catch (error) {
      if (error instanceof RunEnded || isOutage(error)) throw error
      await putOff(context, reply, error, spending)
    }
  }

  /** By what the episode is now: it may have gone, or become more sensitive, while the model thought. */
  async function keep(tx: Transaction, id: string, said: readonly Said[], { run }: StageContext) {
    await lockTombstonesShared(tx)
    const held = await lockHeld(tx, [id])
    const episodes = held.length === 0 ? [] : await readEpisodes(tx, held)
    const told = episodes.flatMap((episode) => said.map((fact) => ({ fact, episode, at: timeOf(episode) })))
    const telling = { actor, now: clock.now(), runId: run.id, isRehearsal: run.dryRun }
    const kept = await facts.keep(tx, told, telling)
    await finish(tx, 'extraction', [id])
    return kept
  }

  async function putOff(
    context: StageContext,
    { episode: { id } }: Asked,
    error: unknown,
    spending: Readonly<Record<string, number>>,
  ): Promise<void> {
    const isBlameless = error instanceof ModelFailure && error.isHopeless
    const { failed } = await context.inBatch(async (tx) => {
      if (isBlameless) await release(tx, [id])
      const reason = describeFailure(error)
      const failed = isBlameless ? undefined : await putOffHeld(tx, { id, reason, now: clock.now() })
      return { failed, counts: { ...spending, extraction_skipped: failed ? 1 : 0 } }
    })
    if (!failed) return
    const attempt = `attempt ${failed.attempts}${failed.is_given_up ? ', given up' : ''}`
    await context.recordFault({ error, recordId: id, part: 'extraction', attempt })
  }

  async function skipRest(context: StageContext, after: Position): Promise<void> {
    await context.inBatch(async (tx) => {
      const due = await countDue(tx, [portionOf(context, after, 1)])
      return { counts: { extraction_skipped: due.get('extraction') ?? 0 } }
    })
  }

  return { name: 'extraction', run }
}

/** How far a run has come, how many in a row had no answer, and what it cost. */
type Standing = { after: Position; failures: number; spent: Spent }

function goOn({ after, failures: before, spent: paid }: Standing, replies: readonly Asked[]): Standing {
  let [failures, spent] = [before, paid]
  for (const reply of replies) {
    spent = add(spent, reply.spent)
    failures = 'failure' in reply && reply.failure.isPassing ? failures + 1 : 0
  }
  const isOver = replies.some((reply) => 'failure' in reply && reply.failure.isHopeless)
  return { after, spent, failures: isOver ? mostFailures : failures }
}

function countsOf({ promptTokens, completionTokens, costMicros }: Spent) {
  return {
    extraction_prompt_tokens: promptTokens,
    extraction_completion_tokens: completionTokens,
    extraction_cost_micros: costMicros,
  }
}

function createLap() {
  let began = performance.now()
  return () => {
    const ms = Math.round(performance.now() - began)
    began = performance.now()
    return ms
  }
}
