import type OpenAI from 'openai'
import type { Clock } from '../kernel/clock.ts'
import { ModelFailure } from './model-failure.ts'
import { type Observe, type RetryOptions, requestWithRetries } from './request-retries.ts'

type EmbeddingModelOptions = {
  endpoint: string
  model: string
  apiKey?: string | undefined
  /** Asked for, and held to; without it the model decides, and is held to one length for each answer. */
  dimensions?: number | undefined
  timeoutMs: number
  clock: Clock
  observe?: Observe | undefined
}

/** Wider vectors than any model gives are a fault, and have no signature. */
const maxDimensions = 4_096

/** An embedding model behind any server that speaks OpenAI's embeddings. */
export function createEmbeddingModel({
  model,
  dimensions,
  timeoutMs,
  clock,
  observe,
  ...server
}: EmbeddingModelOptions) {
  // Loaded when it is first asked, as for a chat: the package takes longer to load than all else.
  let loading: Promise<OpenAI> | undefined
  const load = async () => (await import('./client.ts')).createClient({ ...server, clock })

  /** A vector for each text, in their order. */
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
      // Said, because the package asks for base64 unless told, which many a server does not know.
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

/** A server may answer 200 with anything. */
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
  // After rounding to 32 bits, which makes an infinity of 1e39.
  if (!vector.every(Number.isFinite)) throw new ModelFailure('invalid_answer')
  return vector
}

function isIndex(index: unknown, count: number): index is number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count
}

function getProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
