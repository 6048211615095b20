import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchDatabase } from '../database.ts'
import { assert, median, percentile } from '../load.ts'
import type { Conversation } from './corpus.ts'
import type { Answered } from './figures.ts'

/** Sends a request to the service, over a socket or within the process. */
export type Sender = {
  send(method: string, path: string, body?: string): Promise<{ status: number; text: string }>
}

const depth = 20
const batch = 500

/** Stores every message through the API, each conversation in a scope of its own. Answers ids by scope and record. */
export async function storeConversation(
  client: Sender,
  { id, messages }: Conversation,
): Promise<Map<string, string>> {
  const messageIds = new Map<string, string>()
  for (let start = 0; start < messages.length; start += batch) {
    const body = { scope: id, messages: messages.slice(start, start + batch) }
    const { status, text } = await client.send(
      'POST',
      `/v1/conversations/${encodeURIComponent(id)}/messages`,
      JSON.stringify(body),
    )
    assert(status === 201, `storing messages was answered ${status}: ${text.slice(0, 500)}`)
    for (const item of JSON.parse(text).items) messageIds.set(item.record_id, item.message_id)
  }
  return messageIds
}

type ListedRecord = { id: string; importance: number }

/** Lists the records of a conversation, page by page. */
export async function* listRecords(client: Sender, { id }: Conversation): AsyncGenerator<ListedRecord> {
  const query = `/v1/records?scope=${encodeURIComponent(id)}&limit=500`
  let cursor: string | undefined
  do {
    const path = cursor === undefined ? query : `${query}&cursor=${cursor}`
    const { status, text } = await client.send('GET', path)
    assert(status === 200, `a list was answered ${status}: ${text.slice(0, 500)}`)
    const page = JSON.parse(text) as { items: ListedRecord[]; next_cursor?: string }
    yield* page.items
    cursor = page.next_cursor
  } while (cursor !== undefined)
}

/** Waits until the worker has embedded every message. */
export async function untilEmbedded({ pool }: BenchDatabase): Promise<void> {
  const deadline = performance.now() + 120_000
  for (;;) {
    const { rows } = await pool.query<{ is_done: boolean }>(
      'select exists (select from embeddings) and not exists (select from unembedded) as is_done',
    )
    if (rows[0]?.is_done) return
    assert(performance.now() < deadline, 'the messages were not embedded in time')
    await sleep(200)
  }
}

export type Asked = { answered: Answered[]; latencies: number[] }

/** Asks each question of a conversation, within its scope. */
export function askService(
  client: Sender,
  conversation: Conversation,
  messageIds: ReadonlyMap<string, string>,
): Promise<Asked> {
  const limits = { root_limit: depth, node_limit: depth, max_hops: 0 }
  return askEach({ client, conversation, messageIds }, '/v1/retrieve', limits, ({ root_ids: ids }) => ids)
}

/** Asks for a context of 1,500 tokens for each question: the messages that the text quotes. */
export function askContext(
  client: Sender,
  conversation: Conversation,
  messageIds: ReadonlyMap<string, string>,
): Promise<Asked> {
  return askEach({ client, conversation, messageIds }, '/v1/context', { max_tokens: 1_500 }, ({ items }) =>
    items.map(({ record_id: id }) => id),
  )
}

type Asking = { client: Sender; conversation: Conversation; messageIds: ReadonlyMap<string, string> }
type Answer = { root_ids: string[]; items: { record_id: string }[] }

async function askEach(
  { client, conversation: { id, questions }, messageIds }: Asking,
  path: string,
  limits: object,
  listFound: (answer: Answer) => string[],
): Promise<Asked> {
  const answered: Answered[] = []
  const latencies: number[] = []
  for (const question of questions) {
    const body = { task_descriptor: question.text, scopes: [id], record_access: false, ...limits }
    const started = performance.now()
    const { status, text } = await client.send('POST', path, JSON.stringify(body))
    latencies.push(performance.now() - started)
    assert(status === 200, `a question was answered ${status}: ${text.slice(0, 500)}`)
    const found = listFound(JSON.parse(text) as Answer)
    answered.push({ question, found: found.map((each) => messageIds.get(each) ?? each) })
  }
  return { answered, latencies }
}

export function renderLatency(latencies: readonly number[]): string {
  return `p50 ${median(latencies).toFixed(1)} ms, p95 ${percentile(latencies, 0.95).toFixed(1)} ms`
}
