import type { BenchContext } from '../bench-context.ts'
import { type Client, createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, drive, median, percentile } from '../load.ts'
import { startProduct } from '../processes.ts'
import { atLeast, type Result } from '../result.ts'
import { cycle, knownTasks, makeEvidence, verifyCycles } from './evidence.ts'
import { populate } from './population.ts'
import { type Counts, countNew, countRows, insertWritten, markNow, readTables, readWritten } from './rows.ts'

const world = { records: 10_000 }
const concurrency = 16
const rounds = 5
const perRound = Number(process.env['BENCH_CAPTURES'] ?? 2_000)
/**
 * Long enough that every known task occurred once; one capture at a time, so that the rows can be inserted again in
 * order.
 */
const beginning = cycle * knownTasks

type Served = { database: BenchDatabase; url: string }
type Bench = {
  /** Where captures are measured. */
  measured: Served
  /** Where the same captures are made one at a time, to know the rows of each: captures at once share transactions. */
  model: Served
  bare: BenchDatabase
  note: BenchContext['note']
}

/** Measures captures over HTTP, in turns with plain inserts of the same rows into an equal database. */
export async function measureStoring({ withDatabase, note }: BenchContext): Promise<Result> {
  const serving = <T>(work: (served: Served) => Promise<T>): Promise<T> =>
    withDatabase(async (database) => {
      await populate(database, world)
      const api = await startProduct('api', { DATABASE_URL: database.url })
      return work({ database, url: api.url }).finally(() => api.stop())
    })
  return withDatabase(async (bare) => {
    await populate(bare, world)
    return serving((measured) => serving((model) => takeTurns({ measured, model, bare, note })))
  })
}

async function takeTurns(bench: Bench): Promise<Result> {
  await takeTurn(bench, 0, beginning, 1)
  await takeTurn(bench, beginning, perRound, concurrency)
  const { pool } = bench.measured.database
  const before = await countRows(pool)
  const first = beginning + perRound
  const turns: Turn[] = []
  for (let round = 0; round < rounds; round++) {
    bench.note(`captures, round ${round + 1} of ${rounds}`)
    turns.push(await takeTurn(bench, first + round * perRound, perRound, concurrency))
  }
  const after = await countRows(pool)
  const stored = countNew(before, after)
  verify(stored, after, await countRows(bench.bare.pool))
  return report(turns, stored)
}

type Turn = { overHttp: number; bare: number; latencies: number[]; bareLatencies: number[] }

async function takeTurn(
  { measured, model, bare }: Bench,
  first: number,
  count: number,
  many: number,
): Promise<Turn> {
  const bodies = Array.from({ length: count }, (_, index) => makeEvidence(first + index, world))
  const { pool } = model.database
  const mark = await markNow(pool)
  await capture(model, bodies, 1)
  const written = await readWritten(pool, await readTables(pool), mark)
  assert(written.length === count, `${count} captures wrote in ${written.length} transactions`)
  const http = await capture(measured, bodies, many)
  const sql = await drive(count, many, (index) => insertWritten(bare.pool, written[index] ?? []))
  return {
    overHttp: count / http.seconds,
    bare: count / sql.seconds,
    latencies: http.latencies,
    bareLatencies: sql.latencies,
  }
}

/** The connections are opened for each turn: the server closes those that are idle for long. */
async function capture({ url }: Served, bodies: readonly string[], many: number) {
  const client: Client = await createClient(url, many)
  const send = async (index: number) => {
    const { status, text } = await client.send('POST', '/v1/capture', bodies[index])
    assert(status === 201, `a capture was answered ${status}: ${text}`)
  }
  return drive(bodies.length, many, send).finally(() => client.close())
}

function verify(stored: Counts, after: Counts, bare: Counts): void {
  verifyCycles(stored, rounds * perRound)
  const one = JSON.stringify(after)
  const other = JSON.stringify(bare)
  assert(one === other, `captured were ${one}, and bare ${other}`)
}

function report(turns: readonly Turn[], stored: Counts): Result {
  const ratio = median(turns.map(({ overHttp, bare }) => overHttp / bare))
  const latencies = turns.flatMap((turn) => turn.latencies)
  const bareLatencies = turns.flatMap((turn) => turn.bareLatencies)
  const rows = ['records', 'contents', 'relations', 'handles', 'audit_entries', 'status_changes'].map(
    (name) => [`${name}_per_capture`, (stored[name] ?? 0) / (rounds * perRound)],
  )
  return {
    work: `capture over HTTP, concurrency ${concurrency}`,
    measured: { value: median(turns.map(({ overHttp }) => overHttp)), unit: 'captures/s' },
    limit: {
      value: median(turns.map(({ bare }) => bare)),
      unit: 'captures/s',
      of: 'the same rows, prepared inserts',
    },
    ratio,
    mustReach: atLeast(ratio, 0.5),
    verified:
      'every answer is 201; what the captures stored, confirmed and contested is counted; both databases have the same number of rows',
    details: {
      p50_ms: median(latencies),
      p95_ms: percentile(latencies, 0.95),
      bare_p50_ms: median(bareLatencies),
      bare_p95_ms: percentile(bareLatencies, 0.95),
      ratios: turns.map(({ overHttp, bare }) => (overHttp / bare).toFixed(3)).join(', '),
      ...Object.fromEntries(rows),
      rounds,
      per_round: perRound,
      known_records: world.records,
    },
  }
}
