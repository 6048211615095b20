import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchContext } from '../bench-context.ts'
import { type Client, createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, drive, median, percentile } from '../load.ts'
import { startProduct } from '../processes.ts'
import { type Conversation, readOwnConversations } from '../quality/corpus.ts'
import { atMost, type Result } from '../result.ts'
import { fillThroughApi } from './natural-population.ts'

const goals: readonly Goal[] = [
  { size: 10_000, maxMs: 12, perSecond: 250 },
  { size: 100_000, maxMs: 20, perSecond: 150, contextMs: 40 },
]
const timed = 300
const fillingMs = 20_000
const concurrency = 16
const processes = 2

/** Natural questions over conversations that were stored through the API. Their sentences are those of our corpora. */
export async function benchNaturalRetrieval({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const most = Number(process.env['BENCH_RETRIEVAL_RECORDS'] ?? 100_000)
  const sources = await readOwnConversations()
  return withDatabase(async (database) => {
    const results: Result[] = []
    let filled = 0
    for (const goal of goals.filter(({ size }) => size <= most)) {
      await fillThroughApi({ database, note, sources }, filled, goal.size)
      filled = goal.size
      results.push(...(await measureQuestions(database, sources, goal)))
      results.push(await measureProcesses(database, sources, goal))
    }
    return results
  })
}

export async function measureQuestions(
  database: BenchDatabase,
  sources: readonly Conversation[],
  goal: Goal,
): Promise<Result[]> {
  const questions = listQuestions(sources)
  return withApi(database, 1, async (using) => {
    await using(1, (client) => fillMemory(client, questions, 1))
    return [
      await using(1, (client) => measureLatency(client, questions, goal)),
      await using(concurrency, (client) => measureRate(client, questions, goal)),
      await using(1, (client) => measureContext(client, questions, goal)),
    ]
  })
}

/** One process answers with one core, while PostgreSQL leaves half of the other idle. */
async function measureProcesses(database: BenchDatabase, sources: readonly Conversation[], goal: Goal) {
  const questions = listQuestions(sources)
  return withApi(database, processes, async (using) => {
    await using(concurrency, (client) => fillMemory(client, questions, concurrency))
    const result = await using(concurrency, (client) => measureRate(client, questions, goal))
    return { ...result, work: `${result.work}, MEMBRANE_API_PROCESSES=${processes}` }
  })
}

type Using = <T>(connections: number, work: (client: Client) => Promise<T>) => Promise<T>

async function withApi<T>(
  database: BenchDatabase,
  processes: number,
  work: (using: Using) => Promise<T>,
): Promise<T> {
  const api = await startProduct('api', {
    DATABASE_URL: database.url,
    MEMBRANE_API_PROCESSES: String(processes),
  })
  // Opened for each step: the server closes connections that are idle for long.
  const using: Using = async (connections, work) => {
    const client = await createClient(api.url, connections)
    return work(client).finally(() => client.close())
  }
  return work(using).finally(() => api.stop())
}

const listQuestions = (sources: readonly Conversation[]) =>
  sources.flatMap(({ questions }) => questions.map(({ text }) => text))

/** The first questions make each process read vectors and words into its memory, which takes some seconds in the background. */
async function fillMemory(client: Client, questions: readonly string[], connections: number): Promise<void> {
  await drive(timed, connections, askFrom(client, questions))
  await sleep(fillingMs)
}

/** A store without limits is only measured. A context quotes at least `minQuoted` records, 3 by default. */
type Goal = { size: number; maxMs?: number; perSecond?: number; contextMs?: number; minQuoted?: number }

const askFrom = (client: Client, questions: readonly string[]) => async (index: number) => {
  const task_descriptor = questions[(index * 7) % questions.length]
  const { status, text } = await client.send('POST', '/v1/retrieve', JSON.stringify({ task_descriptor }))
  assert(status === 200, `a question was answered ${status}`)
  assert(JSON.parse(text).root_ids.length === 10, 'ten roots')
}

async function measureLatency(client: Client, questions: readonly string[], goal: Goal): Promise<Result> {
  const ask = askFrom(client, questions)
  await drive(timed, 1, ask)
  const { latencies } = await drive(timed, 1, ask)
  const p95 = percentile(latencies, 0.95)
  return {
    work: `retrieve, natural questions, ${nameOf(goal)}, p95`,
    measured: { value: p95, unit: 'ms' },
    ...(goal.maxMs === undefined ? {} : { mustReach: atMost(p95, goal.maxMs, 'ms') }),
    verified: 'every answer has 10 roots',
    details: { p50_ms: median(latencies) },
  }
}

const maxTokens = 1_500

async function measureContext(client: Client, questions: readonly string[], goal: Goal): Promise<Result> {
  const { minQuoted = 3 } = goal
  const ask = async (index: number) => {
    const task_descriptor = questions[(index * 7) % questions.length]
    const body = JSON.stringify({ task_descriptor, max_tokens: maxTokens })
    const { status, text } = await client.send('POST', '/v1/context', body)
    assert(status === 200, `a context was answered ${status}`)
    const { items, token_estimate: tokens } = JSON.parse(text)
    const isFull = items.length >= minQuoted && tokens <= maxTokens
    assert(isFull, `${items.length} records, ${tokens} tokens`)
  }
  await drive(timed, 1, ask)
  const { latencies } = await drive(timed, 1, ask)
  const p95 = percentile(latencies, 0.95)
  return {
    work: `context, natural questions, ${maxTokens.toLocaleString('en')} tokens, ${nameOf(goal)}, p95`,
    measured: { value: p95, unit: 'ms' },
    ...(goal.contextMs === undefined ? {} : { mustReach: atMost(p95, goal.contextMs, 'ms') }),
    verified: `every text has ${minQuoted} records or more, within the tokens`,
    details: { p50_ms: median(latencies) },
  }
}

async function measureRate(client: Client, questions: readonly string[], goal: Goal): Promise<Result> {
  const ask = askFrom(client, questions)
  await drive(2 * timed, concurrency, ask)
  const { seconds } = await drive(2 * timed, concurrency, ask)
  const rate = (2 * timed) / seconds
  return {
    work: `retrieve, natural questions, ${nameOf(goal)}, concurrency ${concurrency}`,
    measured: { value: rate, unit: '/s' },
    ...(goal.perSecond === undefined
      ? {}
      : { mustReach: { text: `≥ ${goal.perSecond} /s`, reached: rate >= goal.perSecond } }),
    verified: 'every answer has 10 roots',
  }
}

const nameOf = ({ size }: Goal) => `${size.toLocaleString('en')} messages`
