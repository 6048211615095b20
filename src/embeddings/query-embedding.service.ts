import { createHash } from 'node:crypto'
import type { Database } from '../db/connection.ts'
import { type Embedding, hasDirection } from '../domain/similarity.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
import { ModelFailure } from '../llm/model-failure.ts'
import { findServingModel, type ModelRow } from './embedding-models.queries.ts'
import { type Embedder, hashEmbedder } from './hash-embedder.ts'

type Resources = { db: Database; clock: Clock; log: Logger; embedder: Embedder | undefined }

type Outcome =
  | { outcome: 'embedded'; model: ModelRow; vector: Embedding }
  | { outcome: 'empty' | 'unanswered' }

/** Somebody waits for the answer, which is nearly as good without. */
const timeoutMs = 2_000
const mostFailures = 3
/** In characters: most models read some eight thousand tokens. */
const longest = 8_000
const closedMs = 30_000
const mostKept = 500
const modelKeptMs = 1_000

/**
 * What is asked as a vector of the model whose vectors are searched. A model that does not answer is left out, and
 * after some failures left alone for a while: it would make every search wait.
 */
export function createQueryEmbedder({ db, clock, log, embedder }: Resources) {
  const kept = new Map<string, Embedding>()
  let failures = 0
  let closedUntil = 0
  let serving: { model: ModelRow | undefined; at: number } | undefined

  /** Undefined where there are no vectors to search, and where the configuration wants none. */
  async function servingModel(): Promise<ModelRow | undefined> {
    if (!embedder) return undefined
    const now = clock.now().getTime()
    if (serving && now - serving.at < modelKeptMs && now >= serving.at) return serving.model
    serving = { model: await findServingModel(db), at: now }
    return serving.model
  }

  /** A text that says nothing is `empty`; `unanswered`, the model cannot be asked or does not answer. */
  async function embedText(text: string): Promise<Outcome> {
    const model = await servingModel()
    const asked = model && embedderOf(model)
    if (!model || !asked) return { outcome: 'unanswered' }
    const key = `${model.id} ${createHash('sha256').update(text).digest('base64')}`
    const vector = kept.get(key) ?? (await ask(asked, text, model.dimensions))
    if (!vector) return { outcome: 'unanswered' }
    if (!hasDirection(vector)) return { outcome: 'empty' }
    if (model.provider !== 'hash') keep(key, vector)
    return { outcome: 'embedded', model, vector }
  }

  /** While a new model is being filled the old one still answers, if it can be asked. */
  function embedderOf({ provider, model, dimensions }: ModelRow): Embedder | undefined {
    if (provider === 'hash') {
      const built = hashEmbedder(dimensions)
      return built.model === model ? built : undefined
    }
    const isOther = embedder?.provider !== provider || embedder.model !== model
    return isOther || (embedder.dimensions ?? dimensions) !== dimensions ? undefined : embedder
  }

  async function ask(asked: Embedder, text: string, dimensions: number): Promise<Embedding | undefined> {
    if (asked.provider === 'hash') return (await asked.embed([text]))[0]
    const now = clock.now().getTime()
    if (now < closedUntil) return undefined
    // One finds out whether it is back, and the others do not wait with it.
    if (failures >= mostFailures) closedUntil = now + closedMs
    try {
      const [vector] = await asked.embed([text.slice(0, longest).toWellFormed()], { timeoutMs })
      if (vector?.length !== dimensions) throw new ModelFailure('invalid_answer')
      failures = 0
      closedUntil = 0
      return vector
    } catch (error) {
      failures += 1
      if (failures >= mostFailures) closedUntil = clock.now().getTime() + closedMs
      // A failure of a model is worded without what it was asked.
      log.warn('what is asked could not be embedded', { err: error, failures })
      return undefined
    }
  }

  function keep(key: string, vector: Embedding): void {
    const oldest = kept.keys().next()
    if (kept.size >= mostKept && !oldest.done) kept.delete(oldest.value)
    kept.set(key, vector)
  }

  return { servingModel, embedText }
}
