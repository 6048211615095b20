import { addTallies } from '../../db/tallies.ts'
import type { Transaction } from '../../db/transaction.ts'
import { writeSearchableText } from '../../domain/payloads/searchable-text.ts'
import { getRank, type Sensitivity } from '../../domain/trust/caller.ts'
import type { Embedding } from '../../domain/vectors/similarity.ts'
import { encode } from '../../domain/vectors/vector-codes.ts'
import { countLags } from '../../domain/vectors/vector-lag.ts'
import { isBatchFailure } from '../../jobs/runs/batch-failure.ts'
import type { BatchResult } from '../../jobs/runs/runs.ts'
import type { Clock } from '../../kernel/clock.ts'
import { halve } from '../../kernel/collections/halve.ts'
import type { Logger } from '../../kernel/log.ts'
import { addMilliseconds } from '../../kernel/units.ts'
import type { ModelFailure } from '../../llm/model-failure.ts'
import type { CellAssigner } from '../cells/cell-assigner.service.ts'
import type { Embedder } from '../embedders/embedder.ts'
import { hasWord, type Text } from '../embedders/text-batches.ts'
import type { createTextEmbedder } from '../embedders/text-embedding.service.ts'
import type { ModelRow } from '../embedding-models.queries.ts'
import { advanceModelChange } from '../embedding-models.service.ts'
import { computeSignature } from '../vectors/signature.ts'
import {
  type Claim,
  claimDue,
  type EmbeddedText,
  findQueuedTexts,
  lockClaims,
  type QueuedText,
  recordFailures,
  releaseClaim,
  storeVectors,
} from './embedding-queue.queries.ts'

type Resources = {
  clock: Clock
  log: Logger
  embedder: Embedder
  maxSensitivity: Sensitivity
  ask: ReturnType<typeof createTextEmbedder>['ask']
  cellAssigner: CellAssigner
}

/** Runs one transaction. In a run of the job it also stores the progress. */
type InBatch = <T extends BatchResult>(work: (tx: Transaction) => Promise<T>) => Promise<T>
export type Pass = { inBatch: InBatch; model: ModelRow; scope: string | null; signal: AbortSignal }

/** How many texts one batch claims, and for how long a claim holds when its worker dies. */
const batchLimits = {
  static: { limit: 500, holdMs: 60_000 },
  hash: { limit: 500, holdMs: 60_000 },
  openai: { limit: 128, holdMs: 300_000 },
} as const

/** A text is given up about twenty minutes after its first failure. */
const retryLimits = { maxAttempts: 8, firstPauseMs: 10_000 }

/** Embeds the queued texts. No transaction is open while the model answers. */
export function createEmbeddingPass({ clock, log, embedder, maxSensitivity, ask, cellAssigner }: Resources) {
  const { limit, holdMs } = batchLimits[embedder.provider]
  const maxRank = getRank(maxSensitivity)

  /** Embeds until nothing is due. Returns the failure of the model when it stopped early. */
  async function processQueue(pass: Pass): Promise<ModelFailure | undefined> {
    const { inBatch, model, scope, signal } = pass
    while (!signal.aborted) {
      const { taken, outage } = await embedNext(pass)
      if (outage) return outage
      if (taken === limit) continue
      const isWhole = scope === null
      if (!(isWhole && (await advanceModelChange(inBatch, model.id)))) return undefined
    }
    return undefined
  }

  async function embedNext(pass: Pass): Promise<{ taken: number; outage?: ModelFailure }> {
    const { inBatch, model, scope, signal } = pass
    const now = clock.now()
    const until = addMilliseconds(now, holdMs)
    const { ids, queuedTexts } = await inBatch(async (tx) => {
      await lockClaims(tx)
      const ids = await claimDue(tx, { modelId: model.id, now, until, scope, limit })
      return { ids, queuedTexts: ids.length > 0 ? await findQueuedTexts(tx, ids) : [], counts: {} }
    })
    if (ids.length === 0) return { taken: 0 }
    const texts = queuedTexts.flatMap(describeText)
    // The deadline lies well before other workers may claim the texts.
    const answers = await ask(texts, { dimensions: model.dimensions, deadlineMs: holdMs * 0.8, signal })
    const assignCell = await cellAssigner.prepare(model.id)
    const embeddedTexts = toEmbeddedTexts(ids, texts, answers.vectors, assignCell)
    // A text that keeps the model busy until the deadline is found in the next passes, which request each of these alone.
    const failed = [...answers.refused, ...answers.suspected]
    await store(inBatch, { modelId: model.id, until, ids, embeddedTexts, failed })
    return { taken: ids.length, ...(answers.outage ? { outage: answers.outage } : {}) }
  }

  /** A vector that cannot be stored does not keep the others from being stored. */
  async function store(inBatch: InBatch, outcome: Outcome): Promise<void> {
    try {
      await inBatch((tx) => storeAnswers(tx, outcome))
    } catch (error) {
      if (!isBatchFailure(error)) throw error
      const { ids } = outcome
      if (ids.length > 1) for (const half of halve(ids)) await store(inBatch, pick(outcome, half))
      else await inBatch((tx) => storeAnswers(tx, { ...outcome, embeddedTexts: [], failed: ids }))
    }
  }

  /** Returns no text for a record that the model may not read or that contains no word. */
  function describeText({ record_id: id, sensitivity, payload, tags, attempts }: QueuedText): Text[] {
    if (getRank(sensitivity) > maxRank) return []
    const text = writeSearchableText(payload, tags)
    return hasWord(text) ? [{ id, text, isAlone: attempts > 0 }] : []
  }

  async function storeAnswers(
    tx: Transaction,
    { modelId, until, ids, embeddedTexts, failed }: Outcome,
  ): Promise<BatchResult> {
    const now = clock.now()
    const rows = await storeVectors(tx, { modelId, until, now, embeddedTexts })
    const stored = new Set(rows.map(({ record_id: id }) => id))
    await addTallies(tx, countLags(rows.flatMap(({ lag_seconds: lag }) => lag ?? [])))
    const givenUp = await recordFailed(tx, { ids: failed, until }, now)
    const read = new Set([...embeddedTexts.map(({ id }) => id), ...failed])
    await releaseUnread(tx, { ids: ids.filter((id) => !read.has(id)), until }, now)
    const embedded = embeddedTexts.filter(({ id, vector }) => vector !== null && stored.has(id)).length
    const counts = {
      embedded,
      without_vector: stored.size - embedded,
      failed: failed.length,
      given_up: givenUp.length,
    }
    return { done: stored.size, counts }
  }

  async function recordFailed(tx: Transaction, claim: Claim, now: Date): Promise<string[]> {
    if (claim.ids.length === 0) return []
    const givenUp = await recordFailures(tx, claim, { now, ...retryLimits })
    if (givenUp.length > 0) log.warn('texts that cannot be embedded were given up', { record_ids: givenUp })
    return givenUp
  }

  return { processQueue }
}

type Outcome = {
  modelId: number
  until: Date
  ids: readonly string[]
  embeddedTexts: readonly EmbeddedText[]
  failed: readonly string[]
}

function pick(outcome: Outcome, ids: readonly string[]): Outcome {
  const picked = new Set(ids)
  return {
    ...outcome,
    ids,
    embeddedTexts: outcome.embeddedTexts.filter(({ id }) => picked.has(id)),
    failed: outcome.failed.filter((id) => picked.has(id)),
  }
}

/**
 * Pairs texts with their vectors. Texts that were not sent, because of an outage or the deadline, are left out.
 */
function toEmbeddedTexts(
  ids: readonly string[],
  texts: readonly Text[],
  vectors: ReadonlyMap<string, Embedding | null>,
  assignCell: (vector: Embedding) => number,
): EmbeddedText[] {
  const toRead = new Set(texts.map(({ id }) => id))
  return ids.flatMap((id): EmbeddedText[] => {
    const vector = vectors.get(id)
    if (vector) return [{ id, vector: toStored(vector, assignCell(vector)) }]
    return vector === null || !toRead.has(id) ? [{ id, vector: null }] : []
  })
}

const toStored = (vector: Embedding, cell: number) => ({
  code: encode(vector, 32),
  signature: computeSignature(vector),
  cell,
})

async function releaseUnread(tx: Transaction, claim: Claim, now: Date): Promise<void> {
  if (claim.ids.length > 0) await releaseClaim(tx, claim, now)
}
