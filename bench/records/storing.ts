import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchContext } from '../bench-context.ts'
import { createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, drive } from '../load.ts'
import { startProduct } from '../processes.ts'
import { atMost, type Result } from '../result.ts'
import { makeMemory } from './memories.ts'

/**
 * The text index keeps up to 4 MB for words that are not in their place yet, and does not give them back: 200 bytes for each of
 * 20,000 records.
 */
const batches = 200
const batchSize = 500
const count = batches * batchSize

/** Measures the bytes of a record of 1 KB in all tables and indexes, against the JSON that was sent. */
export async function measureStoring(database: BenchDatabase, note: BenchContext['note']): Promise<Result[]> {
  const empty = await measureBytes(database)
  const rawBytes = await store(database)
  await verifyCount(database)
  const results = [await report(database, { name: 'no vector', empty, rawBytes })]
  note('until every record has its vector')
  const product = await startProduct('all', { DATABASE_URL: database.url })
  await untilEmbedded(database).finally(() => product.stop())
  return [...results, await report(database, { name: 'its vector', empty, rawBytes })]
}

/** Returns the bytes of the JSON that was sent. */
async function store({ url }: BenchDatabase): Promise<number> {
  const api = await startProduct('api', { DATABASE_URL: url })
  const client = await createClient(api.url, 2)
  let rawBytes = 0
  try {
    await drive(batches, 2, async (batch) => {
      const records = Array.from({ length: batchSize }, (_, index) => makeMemory(batch * batchSize + index))
      rawBytes += records.reduce((sum, record) => sum + Buffer.byteLength(JSON.stringify(record)), 0)
      const body = JSON.stringify({ records, atomic: true })
      const { status, text } = await client.send('POST', '/v1/records/batch', body)
      assert(status === 201, `a batch was answered ${status}: ${text.slice(0, 500)}`)
    })
    return rawBytes
  } finally {
    client.close()
    await api.stop()
  }
}

const patienceMs = 10 * 60_000

/** Every vector is stored, in its cell. The comparisons with what was known before, which take minutes, may still wait. */
async function untilEmbedded({ pool }: BenchDatabase): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const { rows } = await pool.query<{ vectors: string }>(
      'select count(*) as vectors from signatures where cell > 0',
    )
    if (Number(rows[0]?.vectors) === count) return
    assert(performance.now() < deadline, `${rows[0]?.vectors} of ${count} vectors are in their cells`)
    await sleep(500)
  }
}

async function report(
  database: BenchDatabase,
  { name, empty, rawBytes }: { name: string; empty: number; rawBytes: number },
): Promise<Result> {
  const stored = (await measureBytes(database)) - empty
  const ratio = stored / rawBytes
  return {
    work: `bytes per record, 1 KB payload, all indexes, ${name}`,
    measured: { value: stored / count, unit: 'bytes' },
    limit: { value: rawBytes / count, unit: 'bytes', of: 'the JSON sent' },
    ratio,
    mustReach: atMost(ratio, 3.2, '×'),
    details: await listParts(database),
    verified: `${count.toLocaleString('en')} records with their payloads of 1 KB are there`,
  }
}

/** Measured after a vacuum, which moves the pending entries of the text index to their place. */
async function measureBytes({ pool }: BenchDatabase): Promise<number> {
  await pool.query('vacuum (analyze)')
  const { rows } = await pool.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return Number(rows[0]?.bytes)
}

/** The bytes per record of each table and index. */
async function listParts({ pool }: BenchDatabase): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ name: string; bytes: string }>(
    `select regexp_replace(relname, '_(rest|[0-9]{6})(_|$)', '\\2') as name,
       sum(case relkind when 'i' then pg_relation_size(oid) else pg_table_size(oid) end) as bytes
     from pg_class where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace group by 1 order by bytes desc`,
  )
  const parts = rows.map(({ name, bytes }) => [name, Math.round(Number(bytes) / count)] as const)
  return Object.fromEntries(parts.filter(([, bytes]) => bytes > 0))
}

async function verifyCount({ pool }: BenchDatabase): Promise<void> {
  const { rows } = await pool.query<{ found: string; bytes: number }>(
    'select count(*) as found, avg(octet_length(payload::text))::float8 as bytes from contents',
  )
  const { found, bytes = 0 } = rows[0] ?? {}
  assert(Number(found) === count, `${found} of ${count} records are there`)
  assert(Math.abs(bytes - 1_024) < 64, `a payload has ${bytes} bytes`)
}
