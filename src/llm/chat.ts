import type OpenAI from 'openai'
import type { TSchema } from 'typebox'
import type { Clock } from '../kernel/clock.ts'
import { findJson } from './answer-json.ts'
import { ModelFailure } from './model-failure.ts'
import { type Observe, type Patience, persist } from './request-retries.ts'

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
const mostBytes = 4 * 1_024 * 1_024

/** A chat model behind any server that speaks OpenAI's chat completions. */
export function createChat({ model, timeoutMs, clock, observe, ...server }: ChatOptions) {
  // Loaded when it is first asked: most servers ask no model, and the package takes longer to load than all else.
  let loading: Promise<OpenAI> | undefined
  const load = async () => (await import('./client.ts')).createClient({ ...server, clock, mostBytes })
  /** Known once it has refused a request for it, and answered the same without. */
  let keepsSchemas = true

  async function ask(question: Question, patience: Partial<Patience> = {}): Promise<ChatAnswer> {
    let used = { promptTokens: 0, completionTokens: 0 }
    const onAttempt = (outcome: string, seconds: number) => observe?.({ outcome, seconds, ...used })
    return persist(clock, { timeoutMs, onAttempt, ...patience }, async (signal) => {
      const { value, ...tokens } = read(await completeAsKnown(question, signal))
      used = tokens
      return { value, ...tokens }
    })
  }

  async function completeAsKnown(question: Question, signal: AbortSignal): Promise<OpenAI.ChatCompletion> {
    if (!keepsSchemas) return complete(question, false, signal)
    try {
      return await complete(question, true, signal)
    } catch (error) {
      if (!isRefusal(error)) throw error
      const answer = await complete(question, false, signal)
      keepsSchemas = false
      return answer
    }
  }

  async function complete({ system, user, schema, name }: Question, isKept: boolean, signal: AbortSignal) {
    const shape = JSON.stringify(schema)
    const format = { type: 'json_schema' as const, json_schema: { name, schema: plain(shape) } }
    const messages = [
      // In words too: many a server takes `response_format` and pays no heed to it.
      { role: 'system' as const, content: `${system}\nThe schema of the answer: ${shape}` },
      { role: 'user' as const, content: user },
    ]
    loading ??= load()
    const client = await loading
    return client.chat.completions.create(
      { model, messages, ...(isKept ? { response_format: format } : {}) },
      { signal },
    )
  }

  return { model, ask }
}

/** A server that does not know `response_format` refuses the whole request, each in its own words. */
function isRefusal(error: unknown): boolean {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined
  return status === 400 || status === 404 || status === 415 || status === 422 || status === 501
}

/** Without what TypeBox keeps in a schema beside it. */
function plain(shape: string): Record<string, unknown> {
  return JSON.parse(shape) as Record<string, unknown>
}

/** A server may answer 200 with anything. */
function read(completion: OpenAI.ChatCompletion): ChatAnswer {
  const text: unknown = completion?.choices?.[0]?.message?.content
  const value = typeof text === 'string' ? findJson(text) : undefined
  if (value === undefined) throw new ModelFailure('invalid_answer')
  const { prompt_tokens: prompt, completion_tokens: written } = completion.usage ?? {}
  return { value, promptTokens: countOf(prompt), completionTokens: countOf(written) }
}

function countOf(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0
}
