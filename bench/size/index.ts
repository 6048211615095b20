import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { resolve } from 'node:path'
import type { BenchContext } from '../bench-context.ts'
import { createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { createWorker, sweep } from '../decay/workers.ts'
import { assert, drive, median, percentile } from '../load.ts'
import { startProduct } from '../processes.ts'
import { type Conversation, readOwnConversations } from '../quality/corpus.ts'
import type { Result } from '../result.ts'
import { measureQuestions } from '../retrieval/natural.ts'
import { fillThroughApi } from '../retrieval/natural-population.ts'
import { createMultiplier } from './multiplying.ts'

/** How many messages are stored through the API. A larger store has copies of their rows. */
const written = Number(process.env['BENCH_SIZE_WRITTEN'] ?? 100_000)
const copies = (process.env['BENCH_SIZE_COPIES'] ?? '10').split(',').map(Number)
const faded = 10_000
const goal = { size: 1_000_000, maxMs: 50, perSecond: 60 }
const lists = 200
const exportMs = 60_000

type Store = { database: BenchDatabase; note: BenchContext['note']; size: number }
type Work = { name: string; unit: string; measure: (store: Store) => Promise<Result['measured'] & Details> }
type Details = { verified: string; details?: Record<string, number | string> }

/** The cost of each kind of work in a store of each size, and how much more it is than in the size before. */
export async function benchSize({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const sources = await readOwnConversations()
  return withDatabase(async (database) => {
    await fillThroughApi({ database, note, sources }, 0, written)
    const { addCopies } = await createMultiplier(database)
    const results: Result[] = []
    let before: Result[] = []
    let filled = 1
    for (const copy of copies) {
      const size = copy * written
      note(`${size} messages`)
      await addCopies(filled, copy - 1, note)
      filled = copy
      const measured = await measureStore({ database, note, size }, sources)
      results.push(...compareStores(measured, before))
      before = measured
    }
    return results
  })
}

async function measureStore(store: Store, sources: readonly Conversation[]): Promise<Result[]> {
  const { database, note, size } = store
  note('natural questions')
  // A context quotes only one of the copies of a text.
  const results = await measureQuestions(database, sources, {
    ...(size === goal.size ? goal : {}),
    size,
    minQuoted: 1,
  })
  for (const work of works) {
    note(work.name)
    results.push(await describe(work, store))
  }
  return results
}

/** Adds the figures of the same work in the store before, and the ratios to them. */
function compareStores(results: readonly Result[], before: readonly Result[]): Result[] {
  return results.map((result, at) => {
    const earlier = before[at]
    if (!earlier) return result
    const limit = { ...earlier.measured, of: earlier.work }
    return { ...result, limit, ratio: result.measured.value / earlier.measured.value }
  })
}

async function describe({ name, measure }: Work, store: Store): Promise<Result> {
  const { value, unit, ...rest } = await measure(store)
  return { work: `${name}, ${nameOf(store.size)}`, measured: { value, unit }, ...rest }
}

const nameOf = (size: number) => `${size.toLocaleString('en')} messages`

const works: readonly Work[] = [
  { name: 'list by salience, p95', unit: 'ms', measure: measureList },
  { name: 'decay sweep, nothing due', unit: 'ms', measure: measureIdleSweep },
  { name: 'export', unit: 'records/s', measure: measureExport },
  { name: `prune ${faded.toLocaleString('en')} due`, unit: 'records/s', measure: measurePruning },
  { name: 'check:store', unit: 's', measure: measureCheck },
]

async function measureList({ database }: Store) {
  const api = await startProduct('api', { DATABASE_URL: database.url })
  const client = await createClient(api.url, 1)
  try {
    const list = async () => {
      const { status, text } = await client.send('GET', '/v1/records?limit=50')
      assert(status === 200 && JSON.parse(text).items.length === 50, `a list was answered ${status}`)
    }
    await drive(lists / 4, 1, list)
    const { latencies } = await drive(lists, 1, list)
    return { value: percentile(latencies, 0.95), unit: 'ms', verified: 'every page has 50 records' }
  } finally {
    client.close()
    await api.stop()
  }
}

async function measureIdleSweep({ database }: Store) {
  const worker = createWorker(database.url, 'idle', { ms: 0 })
  try {
    await sweep([worker])
    const times: number[] = []
    for (let nth = 0; nth < 5; nth++) {
      const { seconds, stats } = await sweep([worker])
      assert((stats['materialised'] ?? 0) < faded, `${stats['materialised']} records were due`)
      times.push(seconds * 1_000)
    }
    return {
      value: median(times),
      unit: 'ms',
      verified: 'the time of a whole run, from its claim to its end',
    }
  } finally {
    await worker.close()
  }
}

async function measurePruning({ database: { pool, url } }: Store) {
  const worker = createWorker(url, 'pruner', { ms: 0 })
  try {
    const { rowCount } = await pool.query(
      `update records set base_salience = 0, salience = 0, prune_at = least(anchored_at, expires_at) where id in (
         select id from records where type = 'episodic' and forgotten_at is null order by md5(id::text) limit $1
       )`,
      [faded],
    )
    assert(rowCount === faded, `${rowCount} records were marked`)
    await pool.query('vacuum (analyze) records')
    const { seconds, stats } = await sweep([worker])
    assert(stats['pruned'] === faded, `${stats['pruned']} records were pruned`)
    return { value: faded / seconds, unit: 'records/s', verified: 'all 10,000 records are forgotten' }
  } finally {
    await worker.close()
  }
}

/** Reads an export for a minute: its rate does not depend on what was read before. */
async function measureExport({ database }: Store) {
  const api = await startProduct('api', { DATABASE_URL: database.url })
  try {
    const started = performance.now()
    const request = get(`${api.url}/v1/export`)
    const [answer] = await once(request, 'response')
    let lines = 0
    let first = 0
    for await (const chunk of answer) {
      first ||= performance.now() - started
      for (const byte of chunk as Buffer) if (byte === 10) lines += 1
      if (performance.now() - started > exportMs) break
    }
    const seconds = (performance.now() - started) / 1_000
    request.destroy()
    const verified = 'counts the lines that arrive within a minute, or all lines'
    return { value: lines / seconds, unit: 'records/s', verified, details: { first_bytes_ms: first, lines } }
  } finally {
    await api.stop()
  }
}

async function measureCheck({ database }: Store) {
  const started = performance.now()
  const child = spawn(process.execPath, ['src/main.ts', 'check'], {
    cwd: resolve(import.meta.dirname, '../..'),
    env: { PATH: process.env['PATH'], DATABASE_URL: database.url },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  assert(code === 0, `the check ended with ${code}`)
  return { value: (performance.now() - started) / 1_000, unit: 's', verified: 'every law holds' }
}
