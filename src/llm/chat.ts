import type OpenAI from 'openai'
import type { TSchema } from 'typebox'
import type { Clock } from '../kernel/clock.ts'
import { findJson } from './answer-json.ts'
import { type AnswerSize, ModelFailure } from './model-failure.ts'
import { type Observe, type RetryOptions, requestWithRetries } from './request-retries.ts'

export type Chat = ReturnType<typeof createChat>
type ChatOptions = {
  endpoint: string
  model: string
  apiKey?: string | undefined
  timeoutMs: number
  clock: Clock
  observe?: Observe | undefined
}

export type Question = {
  system: string
  user: string
  /** The schema of the answer. The caller checks the answer against it. */
  schema: TSchema
  /** The name of the schema: letters, digits and underscores. */
  name: string
}
type Tokens = Omit<AnswerSize, 'length'>
export type ChatAnswer = { value: unknown } & AnswerSize

/** Far more than a model writes. Parsing this much takes a few milliseconds. */
const maxBytes = 4 * 1_024 * 1_024

/** Returns a client of a chat model, for any server with OpenAI's chat completions API. */
export function createChat({ model, timeoutMs, clock, observe, ...server }: ChatOptions) {
  // Loaded at the first request: most servers ask no model, and no other package takes as long to load.
  let loading: Promise<OpenAI> | undefined
  const load = async () => (await import('./client.ts')).createClient({ ...server, clock, maxBytes })
  /** Set to false when the server refuses a request with a schema and answers the same one without. */
  let supportsSchemas = true

  async function ask(question: Question, retryOptions: Partial<RetryOptions> = {}): Promise<ChatAnswer> {
    let tokenCounts: Tokens = { promptTokens: 0, completionTokens: 0 }
    const onAttempt = (outcome: string, seconds: number) => observe?.({ outcome, seconds, ...tokenCounts })
    return requestWithRetries(clock, { timeoutMs, onAttempt, ...retryOptions }, async (signal) => {
      const completion = await completeWithFallback(question, signal)
      tokenCounts = readTokens(completion)
      return readAnswer(completion, tokenCounts)
    })
  }

  async function completeWithFallback(
    question: Question,
    signal: AbortSignal,
  ): Promise<OpenAI.ChatCompletion> {
    if (!supportsSchemas) return complete(question, false, signal)
    try {
      return await complete(question, true, signal)
    } catch (error) {
      if (!isSchemaRefusal(error)) throw error
      const answer = await complete(question, false, signal)
      supportsSchemas = false
      return answer
    }
  }

  async function complete(
    { system, user, schema, name }: Question,
    sendsSchema: boolean,
    signal: AbortSignal,
  ) {
    const shape = JSON.stringify(schema)
    const format = { type: 'json_schema' as const, json_schema: { name, schema: parseSchema(shape) } }
    const messages = [
      // The schema is in the prompt too, because some servers accept `response_format` and ignore it.
      { role: 'system' as const, content: `${system}\nThe schema of the answer: ${shape}` },
      { role: 'user' as const, content: user },
    ]
    loading ??= load()
    const client = await loading
    return client.chat.completions.create(
      { model, messages, ...(sendsSchema ? { response_format: format } : {}) },
      { signal },
    )
  }

  return { model, ask }
}

/** A server that does not know `response_format` refuses the request with one of these statuses. */
function isSchemaRefusal(error: unknown): boolean {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined
  return status === 400 || status === 404 || status === 415 || status === 422 || status === 501
}

/** Removes the symbols that TypeBox adds to a schema. */
function parseSchema(shape: string): Record<string, unknown> {
  return JSON.parse(shape) as Record<string, unknown>
}

/** A server may answer 200 with any body. */
function readAnswer(completion: OpenAI.ChatCompletion, tokens: Tokens): ChatAnswer {
  const content: unknown = completion?.choices?.[0]?.message?.content
  const text = typeof content === 'string' ? content : ''
  const value = findJson(text)
  const size = { ...tokens, length: text.length }
  if (value === undefined) throw new ModelFailure('invalid_answer', { size })
  return { value, ...size }
}

function readTokens(completion: OpenAI.ChatCompletion): Tokens {
  const { prompt_tokens: prompt, completion_tokens: written } = completion?.usage ?? {}
  return { promptTokens: readTokenCount(prompt), completionTokens: readTokenCount(written) }
}

/** A larger count is made up. The sums of a run, and its cost, stay far below what a column can hold. */
const maxTokens = 1_000_000_000

function readTokenCount(tokens: unknown): number {
  const isCount = typeof tokens === 'number' && Number.isInteger(tokens)
  return isCount && tokens > 0 && tokens <= maxTokens ? tokens : 0
}
