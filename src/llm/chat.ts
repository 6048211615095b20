import type OpenAI from 'openai'
import type { TSchema } from 'typebox'
import type { Clock } from '../kernel/clock.ts'
import { findJson } from './answer-json.ts'
import { ModelFailure } from './model-failure.ts'
import { type Observe, type RetryOptions, requestWithRetries } from './request-retries.ts'

export type Chat = ReturnType<typeof createChat>
export type ChatOptions = {
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
  /** What the answer should be; whether it is, the one who asked checks. */
  schema: TSchema
  /** Of the schema: letters, digits, underscores. */
  name: string
}
export type ChatAnswer = { value: unknown; promptTokens: number; completionTokens: number }

/** Far more than a model writes; parsing that much is still done in no time. */
const maxBytes = 4 * 1_024 * 1_024

/** A chat model behind any server that speaks OpenAI's chat completions. */
export function createChat({ model, timeoutMs, clock, observe, ...server }: ChatOptions) {
  // Loaded when it is first asked: most servers ask no model, and the package takes longer to load than all else.
  let loading: Promise<OpenAI> | undefined
  const load = async () => (await import('./client.ts')).createClient({ ...server, clock, maxBytes })
  /** Known once it has refused a request for it, and answered the same without. */
  let supportsSchemas = true

  async function ask(question: Question, retryOptions: Partial<RetryOptions> = {}): Promise<ChatAnswer> {
    let tokenCounts = { promptTokens: 0, completionTokens: 0 }
    const onAttempt = (outcome: string, seconds: number) => observe?.({ outcome, seconds, ...tokenCounts })
    return requestWithRetries(clock, { timeoutMs, onAttempt, ...retryOptions }, async (signal) => {
      const { value, ...tokens } = readCompletion(await completeWithFallback(question, signal))
      tokenCounts = tokens
      return { value, ...tokens }
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
      // In words too: many a server takes `response_format` and pays no heed to it.
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

/** A server that does not know `response_format` refuses the whole request, each in its own words. */
function isSchemaRefusal(error: unknown): boolean {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined
  return status === 400 || status === 404 || status === 415 || status === 422 || status === 501
}

/** Without what TypeBox keeps in a schema beside it. */
function parseSchema(shape: string): Record<string, unknown> {
  return JSON.parse(shape) as Record<string, unknown>
}

/** A server may answer 200 with anything. */
function readCompletion(completion: OpenAI.ChatCompletion): ChatAnswer {
  const text: unknown = completion?.choices?.[0]?.message?.content
  const value = typeof text === 'string' ? findJson(text) : undefined
  if (value === undefined) throw new ModelFailure('invalid_answer')
  const { prompt_tokens: prompt, completion_tokens: written } = completion.usage ?? {}
  return { value, promptTokens: readTokenCount(prompt), completionTokens: readTokenCount(written) }
}

function readTokenCount(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0
}
