import type { LanguageModelMiddleware } from 'ai'
import type { Client } from '../client.ts'
import { computeDigest } from '../named/digest.ts'

export type MemoryMiddlewareOptions = {
  /** Where memories are looked for and messages are stored. */
  scope: string
  /** The most tokens of what is remembered; 1,500 by default. */
  maxTokens?: number
  /** Stores what the user and the model say as messages of this conversation. Nothing is stored without it. */
  conversation?: string
  /**
   * Gets every failure of the memory. By default the model answers without its memory then; throw here to fail instead.
   */
  onError?: (error: unknown) => void
}

type Transformation = NonNullable<LanguageModelMiddleware['transformParams']>
type Params = Parameters<Transformation>[0]['params']
type Prompt = Params['prompt']
type Said = { role: 'user' | 'assistant'; content: string }

/** The longest question that the service reads, and the longest message that it stores. */
const maxQuestion = 10_000
const maxMessage = 100_000

/** Adds what is remembered to the prompt of each call, and stores what is said if a conversation is named. */
export function createMemoryMiddleware(
  client: Client,
  { scope, maxTokens = 1_500, conversation, onError = () => {} }: MemoryMiddlewareOptions,
): LanguageModelMiddleware {
  async function recall(question: string, signal: AbortSignal | undefined): Promise<string> {
    const { text } = await client.buildContext({
      body: { task_descriptor: question.slice(0, maxQuestion), max_tokens: maxTokens, scopes: [scope] },
      signal,
    })
    return text
  }

  async function store({ prompt, abortSignal: signal }: Params, answer: string): Promise<void> {
    if (conversation === undefined) return
    // A call that only continues after a tool has nothing new of the user; its message has the same id again.
    const said: Said[] = [{ role: 'user', content: findQuestion(prompt) }]
    if (answer !== '') said.push({ role: 'assistant', content: answer })
    const kept = said
      .filter(({ content }) => content.trim() !== '')
      .map(({ role, content }) => ({ role, content: content.slice(0, maxMessage) }))
    if (kept.length === 0) return
    const turn = prompt.filter(({ role }) => role === 'user').length
    const messages = await Promise.all(
      kept.map(async (each) => ({ id: await computeDigest(turn, each.role, each.content), ...each })),
    )
    await client.appendMessages({
      path: { conversation_id: conversation },
      body: { scope, messages },
      signal,
    })
  }

  /** A memory that fails must not keep the model from answering. */
  async function attempt<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      if (signal?.aborted) throw error
      onError(error)
      return undefined
    }
  }

  return {
    specificationVersion: 'v4',

    async transformParams({ params }) {
      const { prompt, abortSignal: signal } = params
      const question = findQuestion(prompt)
      if (question.trim() === '') return params
      const text = await attempt(signal, () => recall(question, signal))
      return text ? { ...params, prompt: addSystemMessage(prompt, text) } : params
    },

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate()
      const answer = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      await attempt(params.abortSignal, () => store(params, answer))
      return result
    },

    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream()
      let answer = ''
      type Part = typeof stream extends ReadableStream<infer P> ? P : never
      const heard = new TransformStream<Part, Part>({
        transform(part, controller) {
          if (part.type === 'text-delta') answer += part.delta
          controller.enqueue(part)
        },
        // Awaited, because some runtimes stop a process as soon as the stream has ended.
        flush: () => attempt(params.abortSignal, () => store(params, answer)),
      })
      return { stream: stream.pipeThrough(heard), ...rest }
    },
  }
}

/** The text of the last message of the user. */
function findQuestion(prompt: Prompt): string {
  const last = prompt.findLast((message) => message.role === 'user')
  if (last?.role !== 'user') return ''
  return last.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** After the system messages at the beginning: some models accept none at other places. */
function addSystemMessage(prompt: Prompt, content: string): Prompt {
  const place = prompt.findIndex(({ role }) => role !== 'system')
  return [...prompt.slice(0, place), { role: 'system', content }, ...prompt.slice(place)]
}
