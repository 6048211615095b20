import { createHash } from 'node:crypto'
import type { Database } from '../../db/connection.ts'
import { type Embedding, hasDirection } from '../../domain/vectors/similarity.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import { ModelFailure } from '../../llm/model-failure.ts'
import { findServingModel, type ModelRow } from '../embedding-models.queries.ts'
import { findBuiltIn, isBuiltIn } from './embedder.service.ts'
import type { Embedder } from './embedder.ts'

type Resources = {
  db: Database
  clock: Clock
  log: Logger
  embedder: Embedder | undefined
  /** The caller waits, and the answer is nearly as good without a vector. */
  timeoutMs: number
  /** The failures in a row after which the model is not asked for `pauseMs`. */
  maxFailures?: number
  pauseMs?: number
}

type Outcome =
  | { outcome: 'embedded'; model: ModelRow; vector: Embedding }
  | { outcome: 'empty' | 'unanswered' }

/** In characters. Most models read about 8,000 tokens. */
const longest = 8_000
const maxKept = 500
const modelKeptMs = 1_000

/**
 * Embeds a question with the model whose vectors are searched. A model that fails several times is not asked for a
 * while: it would slow down every search.
 */
export function createQueryEmbedder({
  db,
  clock,
  log,
  embedder,
  timeoutMs,
  maxFailures = 3,
  pauseMs = 30_000,
}: Resources) {
  const kept = new Map<string, Embedding>()
  let failures = 0
  let closedUntil = 0
  let serving: { model: ModelRow | undefined; at: number } | undefined

  /**
   * Returns the serving model; undefined when there are no vectors or the configuration switches them off.
   */
  async function readServingModel(): Promise<ModelRow | undefined> {
    if (!embedder) return undefined
    const now = clock.now().getTime()
    if (serving && now - serving.at < modelKeptMs && now >= serving.at) return serving.model
    serving = { model: await findServingModel(db), at: now }
    return serving.model
  }

  /**
   * Embeds a text. `empty`: the text has no direction. `unanswered`: the model cannot be asked or does not answer.
   */
  async function embedText(text: string): Promise<Outcome> {
    const model = await readServingModel()
    const servingEmbedder = model && findEmbedder(model)
    if (!model || !servingEmbedder) return { outcome: 'unanswered' }
    const vector = isBuiltIn(servingEmbedder)
      ? (await servingEmbedder.embed([text]))[0]
      : await askOnce(servingEmbedder, text, model)
    if (!vector) return { outcome: 'unanswered' }
    return hasDirection(vector) ? { outcome: 'embedded', model, vector } : { outcome: 'empty' }
  }

  /** Asks the server, unless it has answered the same question before. */
  async function askOnce(servingEmbedder: Embedder, text: string, { id, dimensions }: ModelRow) {
    const key = `${id} ${createHash('sha256').update(text).digest('base64')}`
    const vector = kept.get(key) ?? (await ask(servingEmbedder, text, dimensions))
    if (vector && hasDirection(vector)) keep(key, vector)
    return vector
  }

  /** While a new model is being filled, the old one still answers if it can be reached. */
  function findEmbedder(row: ModelRow): Embedder | undefined {
    const builtIn = findBuiltIn(row)
    if (builtIn) return builtIn
    const { provider, model, dimensions } = row
    const isOther = embedder?.provider !== provider || embedder.model !== model
    return isOther || (embedder.dimensions ?? dimensions) !== dimensions ? undefined : embedder
  }

  async function ask(
    servingEmbedder: Embedder,
    text: string,
    dimensions: number,
  ): Promise<Embedding | undefined> {
    const now = clock.now().getTime()
    // A pause that is longer than possible began before the clock was set back.
    if (now < closedUntil && closedUntil <= now + pauseMs) return undefined
    // One request tests the model while the others skip it.
    if (failures >= maxFailures) closedUntil = now + pauseMs
    try {
      const [vector] = await servingEmbedder.embed([text.slice(0, longest).toWellFormed()], { timeoutMs })
      if (vector?.length !== dimensions) throw new ModelFailure('invalid_answer')
      failures = 0
      closedUntil = 0
      return vector
    } catch (error) {
      countFailure(error)
      // The message of a model failure never contains the text.
      log.warn('a question could not be embedded', { err: error, failures })
      return undefined
    }
  }

  /** Three questions that are refused for what they say must not take the vectors from the searches of all others. */
  function countFailure(error: unknown): void {
    failures = error instanceof ModelFailure && error.isAboutText ? 0 : failures + 1
    closedUntil = failures >= maxFailures ? clock.now().getTime() + pauseMs : 0
  }

  function keep(key: string, vector: Embedding): void {
    const oldest = kept.keys().next()
    if (kept.size >= maxKept && !oldest.done) kept.delete(oldest.value)
    kept.set(key, vector)
  }

  return { readServingModel, embedText }
}
