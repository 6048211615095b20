import { createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, drive } from '../load.ts'
import { startProduct } from '../processes.ts'
import { atMost, type Result } from '../result.ts'
import { makeMemory } from './memories.ts'

const batches = 40
const batchSize = 500

/** Measures the bytes of a record of 1 KB in all tables and indexes, against the JSON that was sent. */
export async function measureStoring(database: BenchDatabase): Promise<Result> {
  const api = await startProduct('api', { DATABASE_URL: database.url })
  const client = await createClient(api.url, 2)
  let rawBytes = 0
  try {
    const empty = await measureBytes(database)
    await drive(batches, 2, async (batch) => {
      const records = Array.from({ length: batchSize }, (_, index) => makeMemory(batch * batchSize + index))
      rawBytes += records.reduce((sum, record) => sum + Buffer.byteLength(JSON.stringify(record)), 0)
      const { status, text } = await client.send(
        'POST',
        '/v1/records/batch',
        JSON.stringify({ records, atomic: true }),
      )
      assert(status === 201, `a batch was answered ${status}: ${text.slice(0, 500)}`)
    })
    const count = batches * batchSize
    const stored = (await measureBytes(database)) - empty
    await verifyCount(database, count)
    const ratio = stored / rawBytes
    return {
      work: 'bytes per record, 1 KB payload, all indexes, no vector',
      measured: { value: stored / count, unit: 'bytes' },
      limit: { value: rawBytes / count, unit: 'bytes', of: 'the JSON sent' },
      ratio,
      mustReach: atMost(ratio, 3.2, '×'),
      details: await listParts(database, count),
      verified: `${count} records with their payloads of 1 KB are there`,
    }
  } finally {
    client.close()
    await api.stop()
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
async function listParts({ pool }: BenchDatabase, count: number): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ name: string; bytes: string }>(
    `select regexp_replace(relname, '_(rest|[0-9]{6})(_|$)', '\\2') as name,
       sum(case relkind when 'i' then pg_relation_size(oid) else pg_table_size(oid) end) as bytes
     from pg_class where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace group by 1 order by bytes desc`,
  )
  const parts = rows.map(({ name, bytes }) => [name, Math.round(Number(bytes) / count)] as const)
  return Object.fromEntries(parts.filter(([, bytes]) => bytes > 0))
}

async function verifyCount({ pool }: BenchDatabase, expected: number): Promise<void> {
  const { rows } = await pool.query<{ count: string; bytes: number }>(
    'select count(*), avg(octet_length(payload::text))::float8 as bytes from contents',
  )
  const { count, bytes = 0 } = rows[0] ?? {}
  assert(Number(count) === expected, `${count} of ${expected} records are there`)
  assert(Math.abs(bytes - 1_024) < 64, `a payload has ${bytes} bytes`)
}
