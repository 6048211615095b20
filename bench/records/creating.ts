import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, drive, median, percentile } from '../load.ts'
import { startProduct } from '../processes.ts'
import { atLeast, type Result } from '../result.ts'
import { makeMemory } from './memories.ts'
import { createRowCopier, type RowCopier } from './rows.ts'

const concurrency = 16
const rounds = 5
const perRound = 2_000

/** Creates over HTTP against the same rows inserted bare, in turns, so that both meet the same machine. */
export async function measureCreating(database: BenchDatabase): Promise<Result> {
  const api = await startProduct('api', { DATABASE_URL: database.url })
  const client = createClient(api.url, concurrency)
  try {
    const create = createCreator(client)
    const copy = await createRowCopier(database.pool, await create(0))
    await warmUp(create, copy)
    const before = await countRows(database)
    const overHttp: number[] = []
    const bare: number[] = []
    const latencies: number[] = []
    for (let round = 0; round < rounds; round++) {
      const http = await drive(perRound, concurrency, async (index) => {
        await create(round * perRound + index)
      })
      const sql = await drive(perRound, concurrency, () => copy(randomUUID()))
      overHttp.push(perRound / http.seconds)
      bare.push(perRound / sql.seconds)
      latencies.push(...http.latencies)
    }
    const after = await countRows(database)
    assert(after - before === 2 * rounds * perRound, `${after - before} whole records were stored`)
    const ratio = median(overHttp.map((rate, round) => rate / (bare[round] ?? Number.NaN)))
    return {
      work: `create over HTTP, concurrency ${concurrency}`,
      measured: { value: median(overHttp), unit: 'records/s' },
      limit: { value: median(bare), unit: 'records/s', of: 'the same rows, one prepared statement' },
      ratio,
      mustReach: atLeast(ratio, 0.35),
      verified: 'every answer is 201 with its payload, every record has its three rows',
      details: {
        p50_ms: median(latencies),
        p95_ms: percentile(latencies, 0.95),
        rounds,
        per_round: perRound,
      },
    }
  } finally {
    client.close()
    await api.stop()
  }
}

function createCreator(client: Client) {
  return async (index: number): Promise<string> => {
    const memory = makeMemory(index)
    const { status, text } = await client.send('POST', '/v1/records', JSON.stringify(memory))
    assert(status === 201, `a create was answered ${status}: ${text}`)
    const record: { id: string; payload: { object: string } } = JSON.parse(text)
    assert(record.payload.object === memory.payload.object, 'the answer holds what was sent')
    return record.id
  }
}

async function warmUp(create: (index: number) => Promise<string>, copy: RowCopier): Promise<void> {
  await drive(perRound / 2, concurrency, async (index) => {
    await create(index)
  })
  await drive(perRound / 2, concurrency, () => copy(randomUUID()))
}

async function countRows({ pool }: BenchDatabase): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `select count(*) from records r join contents c on c.record_id = r.id
     where exists (select from audit_entries a where a.record_id = r.id and a.action = 'create')`,
  )
  return Number(rows[0]?.count)
}
