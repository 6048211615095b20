import type { BenchContext } from '../bench-context.ts'
import { type Client, createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { createWorker, sweep } from '../decay/workers.ts'
import { assert, createRandom, drive, median, percentile } from '../load.ts'
import { startProduct } from '../processes.ts'
import { atMost, type Result } from '../result.ts'
import { drawTask, populate, type Wording } from './population.ts'

const allowed = [
  { size: 10_000, maxMs: 15 },
  { size: 100_000, maxMs: 25 },
  { size: 1_000_000, maxMs: 60 },
]
const questions = 200
/** The plain statement reads every record with a common word: with a million records it takes more than a second. */
const plainQuestions = (size: number) => (size < 1_000_000 ? questions : 40)
/** With fewer records the sweep ends before it can be measured. */
const sweptFrom = 100_000

/** Measures retrievals by words, names and salience with one hop, against plain statements that find as much. */
export async function benchRetrieval({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const most = Number(process.env['BENCH_RETRIEVAL_RECORDS'] ?? 1_000_000)
  return withDatabase(async (database) => {
    const results: Result[] = []
    let filled = 0
    for (const { size, maxMs } of allowed.filter((each) => each.size <= most)) {
      note(`filling up to ${size} records`)
      await populate(database, filled, size)
      filled = size
      const api = await startProduct('api', { DATABASE_URL: database.url })
      const client = await createClient(api.url, 1)
      try {
        results.push(await measure({ database, client, size }, maxMs))
        if (size >= sweptFrom) results.push(await measureSwept({ database, client, size }))
      } finally {
        client.close()
        await api.stop()
      }
    }
    return results
  })
}

type Bench = { database: BenchDatabase; client: Client; size: number }

async function measure({ database, client, size }: Bench, maxMs: number): Promise<Result> {
  const random = createRandom(size)
  const timed = async (wording?: Wording) =>
    (await drive(questions, 1, () => ask(client, drawTask(random, size, wording)))).latencies
  const runPlainOnce = () => runPlainStatements(database, drawTask(random, size))
  // In the first hundreds of requests the process compiles its code, and PostgreSQL its plans.
  await drive(2 * questions, 1, () => ask(client, drawTask(random, size)))
  await drive(plainQuestions(size) / 4, 1, runPlainOnce)
  const bare = (await drive(plainQuestions(size), 1, runPlainOnce)).latencies
  const mixed = await timed()
  const measured = percentile(mixed, 0.95)
  const limit = percentile(bare, 0.95)
  return {
    work: `retrieve, text + names + salience + 1 hop, ${named(size)} records, p95`,
    measured: { value: measured, unit: 'ms' },
    limit: {
      value: limit,
      unit: 'ms',
      of: 'plain statements for the same number of candidates, edges and rows',
    },
    ratio: measured / limit,
    mustReach: {
      text: `${atMost(measured, maxMs, 'ms').text}, ≤ 2× the plain statements`,
      reached: measured <= maxMs && measured <= 2 * limit,
    },
    verified: 'every answer has 10 roots, up to 25 nodes and edges between them',
    details: {
      p50_ms: median(mixed),
      bare_p50_ms: median(bare),
      rare_words_p95_ms: percentile(await timed('rare'), 0.95),
      common_words_p95_ms: percentile(await timed('common'), 0.95),
    },
  }
}

async function ask(client: Client, task: string): Promise<void> {
  const { status, text } = await client.send(
    'POST',
    '/v1/retrieve',
    JSON.stringify({ task_descriptor: task }),
  )
  assert(status === 200, `the retrieval was answered ${status}: ${text}`)
  const { nodes, edges, root_ids: roots } = JSON.parse(text)
  assert(roots.length === 10 && nodes.length > 10 && nodes.length <= 25, `${nodes.length} nodes`)
  assert(edges.length > 0, 'an edge between them')
}

/** Measures retrievals while a worker sweeps half of the records, those of a curve without a lasting order. */
async function measureSwept({ database, client, size }: Bench): Promise<Result> {
  const random = createRandom(size + 1)
  const due = await makeDue(database)
  const timed = () => drive(1, 1, () => ask(client, drawTask(random, size)))
  const idle: number[] = []
  while (idle.length < questions) idle.push(...(await timed()).latencies)
  const worker = createWorker(database.url, 'sweeper', { ms: 2 * 86_400_000 })
  try {
    let isOver = false
    const sweeping = sweep([worker]).finally(() => {
      isOver = true
    })
    const latencies: number[] = []
    while (!isOver && latencies.length < questions) {
      latencies.push(...(await timed()).latencies)
    }
    const { stats, seconds } = await sweeping
    const swept = stats['materialised'] ?? 0
    // Some records have faded so far that nothing changes.
    assert(swept > 0.8 * due, `${swept} of ${due} records were swept`)
    const measured = percentile(latencies, 0.95)
    const limit = percentile(idle, 0.95)
    return {
      work: `retrieve among ${named(size)} records while ${named(swept)} are swept, p95`,
      measured: { value: measured, unit: 'ms' },
      limit: { value: limit, unit: 'ms', of: 'the same without a sweep' },
      ratio: measured / limit,
      mustReach: { text: '≤ 1.5×', reached: measured <= 1.5 * limit },
      verified: 'every answer is complete, and every due record was swept',
      details: { asked: latencies.length, p50_ms: median(latencies), sweep_seconds: seconds },
    }
  } finally {
    await worker.close()
  }
}

async function makeDue({ pool }: BenchDatabase): Promise<number> {
  const { rowCount } = await pool.query(
    `update records set curve = 'huber' where half_life_seconds in (604800, 2592000)`,
  )
  await pool.query('vacuum (analyze) records')
  return rowCount ?? 0
}

const named = (size: number): string => size.toLocaleString('en')

/** Finds as much with plain statements, one after the other on one connection: no trust, no filter, no fusion. */
async function runPlainStatements({ pool }: BenchDatabase, task: string): Promise<void> {
  const session = await pool.connect()
  try {
    const text = await session.query({
      name: 'bare-text',
      text: `select record_id as id from contents, (
          select replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery as query
        ) as asked
        where search @@ query order by ts_rank(search, query) desc limit 50`,
      values: [task],
    })
    const salient = await session.query({
      name: 'bare-salience',
      text: `select best.id from unnest($1::bigint[]) as lane (half_life) cross join lateral (
          select id, salience from records
          where half_life_seconds = lane.half_life and decay_rank is not null and forgotten_at is null
          order by decay_rank desc, id desc limit 50
        ) as best order by best.salience desc limit 50`,
      values: [[86_400, 259_200, 604_800, 2_592_000]],
    })
    const roots = [...text.rows, ...salient.rows].slice(0, 10).map(({ id }) => id)
    const edges = await session.query({
      name: 'bare-edges',
      text: `select e.target_id as id from unnest($1::uuid[]) as source (id) cross join lateral (
          select target_id from relations where source_id = source.id order by target_id desc limit 100
        ) as e`,
      values: [roots],
    })
    const ids = [...roots, ...edges.rows.map(({ id }) => id)].slice(0, 25)
    const whole = await session.query({
      name: 'bare-rows',
      text: `select r.*, c.*, (select json_agg(a) from audit_entries a where a.record_id = r.id) as audit_log
        from records r join contents c on c.record_id = r.id where r.id = any($1::uuid[])`,
      values: [ids],
    })
    assert(whole.rows.length > 0, 'rows of what was found')
  } finally {
    session.release()
  }
}
