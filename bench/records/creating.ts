import { randomUUID } from 'node:crypto'
import { createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, drive, median, percentile } from '../load.ts'
import { startProduct } from '../processes.ts'
import { atLeast, type Result } from '../result.ts'
import { makeMemory } from './memories.ts'
import { createRowCopier, type RowCopier } from './rows.ts'

const concurrency = 16
const rounds = 5
const perRound = 2_000

/**
 * Measures creates over HTTP, with a key for each or without, in turns with plain inserts of the same rows, so that both have
 * the same machine.
 */
export async function measureCreating(database: BenchDatabase, { isKeyed = false } = {}): Promise<Result> {
  const api = await startProduct('api', { DATABASE_URL: database.url })
  const client = await createClient(api.url, concurrency)
  // Made beforehand, because the service needs the processor during the measurement.
  const bodies = Array.from({ length: rounds * perRound }, (_, index) => JSON.stringify(makeMemory(index)))
  const create = async (index: number): Promise<string> => {
    const headers = isKeyed ? { 'idempotency-key': randomUUID() } : {}
    const { status, text } = await client.send('POST', '/v1/records', bodies[index], headers)
    assert(status === 201, `a create was answered ${status}: ${text}`)
    return text
  }
  try {
    const copy = await createRowCopier(database.pool, idIn(await create(0)))
    await drive(perRound / 2, concurrency, async (index) => void (await create(index)))
    await drive(perRound / 2, concurrency, () => copy(randomUUID()))
    const before = await countRows(database)
    const taken = await takeTurns(create, copy)
    const stored = (await countRows(database)) - before
    assert(stored === 2 * rounds * perRound, `${stored} whole records were stored`)
    await verifyPayloads(database, bodies, taken.answers)
    return isKeyed ? reportKeyed(taken) : report(taken)
  } finally {
    client.close()
    await api.stop()
  }
}

type Turns = { overHttp: number[]; bare: number[]; latencies: number[]; answers: string[] }

async function takeTurns(create: (index: number) => Promise<string>, copy: RowCopier): Promise<Turns> {
  const turns: Turns = { overHttp: [], bare: [], latencies: [], answers: [] }
  for (let round = 0; round < rounds; round++) {
    const http = await drive(perRound, concurrency, async (index) => {
      const number = round * perRound + index
      turns.answers[number] = await create(number)
    })
    const sql = await drive(perRound, concurrency, () => copy(randomUUID()))
    turns.overHttp.push(perRound / http.seconds)
    turns.bare.push(perRound / sql.seconds)
    turns.latencies.push(...http.latencies)
  }
  return turns
}

function report({ overHttp, bare, latencies }: Turns): Result {
  const ratio = median(overHttp.map((rate, round) => rate / (bare[round] ?? Number.NaN)))
  return {
    work: `create over HTTP, concurrency ${concurrency}`,
    measured: { value: median(overHttp), unit: 'records/s' },
    limit: { value: median(bare), unit: 'records/s', of: 'the same rows, one prepared statement' },
    ratio,
    mustReach: atLeast(ratio, 0.6),
    verified: 'every answer is 201, every record has all of its rows, and its payload is the one sent',
    details: { p50_ms: median(latencies), p95_ms: percentile(latencies, 0.95), rounds, per_round: perRound },
  }
}

/** The plain inserts store no answers for a repetition. */
function reportKeyed(turns: Turns): Result {
  const { mustReach: _, work, ...result } = report(turns)
  return { ...result, work: `${work}, each with an Idempotency-Key` }
}

function idIn(answer: string): string {
  const { id }: { id: string } = JSON.parse(answer)
  return id
}

async function countRows({ pool }: BenchDatabase): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `select count(*) from records r join contents c on c.record_id = r.id
     where exists (select from audit_entries a where a.record_id = r.id and a.action = 'create')`,
  )
  return Number(rows[0]?.count)
}

async function verifyPayloads({ pool }: BenchDatabase, bodies: string[], answers: string[]): Promise<void> {
  const { rows } = await pool.query<{ count: string }>(
    `select count(*) from unnest($1::uuid[], $2::jsonb[]) as sent (id, body)
     join contents c on c.record_id = sent.id and c.payload = sent.body -> 'payload'`,
    [answers.map(idIn), bodies],
  )
  assert(Number(rows[0]?.count) === bodies.length, `${rows[0]?.count} payloads are the ones sent`)
}
