import { type Client, createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, createRandom, drive, median, percentile } from '../load.ts'
import { startProduct } from '../processes.ts'
import type { Result } from '../result.ts'
import { drawId, populate } from './population.ts'

const sizes = [10_000, 1_000_000]
const reads = 2_000
const lists = 300
const pageSize = 50

/** Measures reads of one record and of the most salient ones, in a small and a large store. */
export async function measureReading(
  database: BenchDatabase,
  note: (text: string) => void,
): Promise<Result[]> {
  const results: Result[] = []
  let filled = 0
  for (const size of sizes) {
    note(`filling up to ${size} records`)
    await populate(database, filled + 1, size)
    filled = size
    const api = await startProduct('api', { DATABASE_URL: database.url })
    const client = await createClient(api.url, 1)
    try {
      results.push(...(await measureById(database, client, size)))
      results.push(await measureList(database, client, size))
    } finally {
      client.close()
      await api.stop()
    }
  }
  return results
}

async function measureById(database: BenchDatabase, client: Client, size: number): Promise<Result[]> {
  const random = createRandom(size)
  const read = async (): Promise<void> => {
    const id = drawId(random, size)
    const { status, text } = await client.send('GET', `/v1/records/${id}`)
    assert(status === 200 && JSON.parse(text).id === id, `the read of ${id} was answered ${status}`)
  }
  await drive(reads / 4, 1, read)
  const bare = await drive(reads, 1, () => readBare(database, drawId(random, size)))
  const http = await drive(reads, 1, read)
  return [0.5, 0.95].map((share) => {
    const measured = percentile(http.latencies, share)
    const limit = percentile(bare.latencies, share)
    return {
      work: `read by id, ${size.toLocaleString('en')} records, p${share * 100}`,
      measured: { value: measured, unit: 'ms' },
      limit: { value: limit, unit: 'ms', of: 'its rows by primary key' },
      ratio: measured / limit,
      verified: 'every answer is the record asked for',
    }
  })
}

async function readBare({ pool }: BenchDatabase, id: string): Promise<void> {
  const { rowCount } = await pool.query({
    name: 'read-bare',
    text: `select r.*, c.*, (select json_agg(a) from audit_entries a where a.record_id = r.id) as audit_log
      from records r join contents c on c.record_id = r.id where r.id = $1`,
    values: [id],
  })
  assert(rowCount === 1, `one row of ${id}`)
}

async function measureList(database: BenchDatabase, client: Client, size: number): Promise<Result> {
  const list = async (): Promise<Listed[]> => {
    const { status, text } = await client.send('GET', `/v1/records?limit=${pageSize}`)
    assert(status === 200, `the list was answered ${status}: ${text}`)
    return JSON.parse(text).items
  }
  await drive(lists / 4, 1, async () => {
    await list()
  })
  await verifyOrder(database, await list())
  const bare = await drive(lists, 1, () => walkIndex(database))
  const http = await drive(lists, 1, async () => {
    assert((await list()).length === pageSize, 'a full page')
  })
  const measured = percentile(http.latencies, 0.95)
  const limit = percentile(bare.latencies, 0.95)
  return {
    work: `list by salience, ${size.toLocaleString('en')} records, p95`,
    measured: { value: measured, unit: 'ms' },
    limit: { value: limit, unit: 'ms', of: 'the same number of whole rows in the order of an index' },
    ratio: measured / limit,
    verified: 'the page is what sorting every record by its exact salience gives',
    details: { p50_ms: median(http.latencies), page: pageSize },
  }
}

type Listed = { id: string; salience: number }

/** Reads and sorts everything, so that it shares no shortcut with the code that it checks. */
async function verifyOrder({ pool }: BenchDatabase, page: readonly Listed[]): Promise<void> {
  const { rows } = await pool.query<{ salience: number }>(
    `select salience_at(r, now()) as salience from records r where forgotten_at is null
     order by salience_at(r, now()) desc limit $1`,
    [pageSize],
  )
  for (const [rank, { salience }] of rows.entries()) {
    // Time passes between the two reads; the shortest half-life is a day, so little fades meanwhile.
    const difference = Math.abs(salience - (page[rank]?.salience ?? Number.NaN))
    assert(
      difference < 1e-3,
      `rank ${rank} has a salience of ${salience}, the page says ${page[rank]?.salience}`,
    )
  }
  const falls = page.every(({ salience }, rank) => rank === 0 || salience <= (page[rank - 1]?.salience ?? 0))
  assert(falls, 'the page is in order')
}

async function walkIndex({ pool }: BenchDatabase): Promise<void> {
  const { rowCount } = await pool.query({
    name: 'walk-index',
    text: `select r.*, c.* from records r join contents c on c.record_id = r.id
      where r.forgotten_at is null order by r.importance desc, r.id desc limit $1`,
    values: [pageSize],
  })
  assert(rowCount === pageSize, 'a full page of bare rows')
}
