import type OpenAI from 'openai'
import type { Clock } from '../kernel/clock.ts'
import { ModelFailure } from './model-failure.ts'
import { type Observe, type RetryOptions, requestWithRetries } from './request-retries.ts'

type EmbeddingModelOptions = {
  endpoint: string
  model: string
  apiKey?: string | undefined
  /**
   * Requested from the model and checked. Without it the model decides, and all vectors of one answer must have the
   * same length.
   */
  dimensions?: number | undefined
  timeoutMs: number
  clock: Clock
  observe?: Observe | undefined
}

/** No model returns longer vectors, and signatures do not support them. */
const maxDimensions = 4_096

/** Returns a client of an embedding model, for any server with OpenAI's embeddings API. */
export function createEmbeddingModel({
  model,
  dimensions,
  timeoutMs,
  clock,
  observe,
  ...server
}: EmbeddingModelOptions) {
  // Loaded at the first request, as for a chat: no other package takes as long to load.
  let loading: Promise<OpenAI> | undefined
  const load = async () => (await import('./client.ts')).createClient({ ...server, clock })

  /** Returns one vector per text, in order. */
  async function embed(
    texts: readonly string[],
    retryOptions: Partial<RetryOptions> = {},
  ): Promise<Float32Array[]> {
    if (texts.length === 0) return []
    let promptTokens = 0
    const onAttempt = (outcome: string, seconds: number) =>
      observe?.({ outcome, seconds, promptTokens, completionTokens: 0 })
    return requestWithRetries(clock, { timeoutMs, onAttempt, ...retryOptions }, async (signal) => {
      loading ??= load()
      const client = await loading
      const requested = dimensions === undefined ? {} : { dimensions }
      // The package requests base64 by default, which many servers do not know.
      const format = { encoding_format: 'float' as const }
      const answer: unknown = await client.embeddings.create(
        { model, input: [...texts], ...format, ...requested },
        { signal },
      )
      const vectors = readVectors(answer, texts.length, dimensions)
      const counted = getProperty(getProperty(answer, 'usage'), 'prompt_tokens')
      promptTokens = typeof counted === 'number' && counted > 0 && Number.isSafeInteger(counted) ? counted : 0
      return vectors
    })
  }

  return { provider: 'openai' as const, model, dimensions, embed }
}

/** A server may answer 200 with any body. */
function readVectors(answer: unknown, count: number, dimensions: number | undefined): Float32Array[] {
  const data = getProperty(answer, 'data')
  if (!Array.isArray(data) || data.length !== count) throw new ModelFailure('invalid_answer')
  const vectors: Float32Array[] = []
  for (const [position, item] of data.entries()) {
    const index = getProperty(item, 'index') ?? position
    if (!isIndex(index, count) || vectors[index]) throw new ModelFailure('invalid_answer')
    vectors[index] = readVector(getProperty(item, 'embedding'))
  }
  const length = dimensions ?? vectors[0]?.length
  if (vectors.some((vector) => vector.length !== length)) throw new ModelFailure('invalid_answer')
  return vectors
}

function readVector(value: unknown): Float32Array {
  const isWide = Array.isArray(value) && value.length > 0 && value.length <= maxDimensions
  if (!isWide || !value.every((value) => typeof value === 'number')) throw new ModelFailure('invalid_answer')
  const vector = Float32Array.from(value)
  // Checked after rounding to 32 bits, which turns 1e39 into infinity.
  if (!vector.every(Number.isFinite)) throw new ModelFailure('invalid_answer')
  return vector
}

function isIndex(index: unknown, count: number): index is number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count
}

function getProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
