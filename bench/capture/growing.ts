import { type Client, createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import type { Ground } from '../ground.ts'
import { assert, drive, percentile } from '../load.ts'
import { type Running, startProduct } from '../processes.ts'
import { atMost, type Result } from '../result.ts'
import { cycle, type Kind, kindOf, knownTasks, makeEvidence, verifyCycles } from './evidence.ts'
import { populate } from './population.ts'
import { countNew, countRows } from './rows.ts'
import type { World } from './world.ts'

const small = { records: 1_000 }
const large = { records: Number(process.env['BENCH_CAPTURE_RECORDS'] ?? 1_000_000) }
const rounds = 8
const perRound = 200
/** Known tasks are told of, statements prepared and pages read. */
const beginning = cycle * knownTasks

type Store = {
  database: BenchDatabase
  world: World
  api: Running
  client: Client
  latencies: Map<Kind, number[]>
}

/** The same captures one after the other into a store that knows little and one that knows much, in turns. */
export async function measureGrowing({ withDatabase, note }: Ground): Promise<Result[]> {
  return withDatabase((one) =>
    withDatabase(async (other) => {
      await populate(one, small)
      note(`filling up to ${large.records} records`)
      await populate(other, large)
      const few = await open(one, small)
      const many = await open(other, large)
      try {
        return await measure(few, many, note)
      } finally {
        for (const { client, api } of [few, many]) {
          client.close()
          await api.stop()
        }
      }
    }),
  )
}

async function open(database: BenchDatabase, world: World): Promise<Store> {
  const api = await startProduct('api', { DATABASE_URL: database.url })
  return { database, world, api, client: await createClient(api.url, 1), latencies: new Map() }
}

async function measure(few: Store, many: Store, note: Ground['note']): Promise<Result[]> {
  for (const store of [few, many]) {
    await capture(store, 0, beginning)
    store.latencies.clear()
  }
  const before = await Promise.all([few, many].map(count))
  for (let round = 0; round < rounds; round++) {
    note(`captures in turns, round ${round + 1} of ${rounds}`)
    // Each goes first as often as the other.
    const order = round % 2 === 0 ? [few, many] : [many, few]
    for (const store of order) await capture(store, beginning + round * perRound, perRound)
  }
  const after = await Promise.all([few, many].map(count))
  for (const [index, counts] of after.entries())
    verifyCycles(countNew(before[index] ?? {}, counts), rounds * perRound)
  return [report('p50', few, many, 0.5), report('p95', few, many, 0.95)]
}

async function capture({ client, world, latencies }: Store, first: number, count: number): Promise<void> {
  const bodies = Array.from({ length: count }, (_, index) => makeEvidence(first + index, world))
  const { latencies: each } = await drive(count, 1, async (index) => {
    const { status, text } = await client.send('POST', '/v1/capture', bodies[index])
    assert(status === 201, `a capture was answered ${status}: ${text}`)
  })
  for (const [index, latency] of each.entries()) {
    const kind = kindOf(first + index)
    latencies.set(kind, [...(latencies.get(kind) ?? []), latency])
  }
}

const count = ({ database }: Store) => countRows(database.pool)

function report(name: string, few: Store, many: Store, share: number): Result {
  const all = ({ latencies }: Store) => percentile([...latencies.values()].flat(), share)
  const ratio = all(many) / all(few)
  const kinds = [...many.latencies].map(([kind, latencies]) => {
    const before = percentile(few.latencies.get(kind) ?? [], share)
    return [`${kind}, ms`, `${before.toFixed(1)} → ${percentile(latencies, share).toFixed(1)}`] as const
  })
  return {
    work: `capture, ${large.records.toLocaleString('en')} records known, ${name}`,
    measured: { value: all(many), unit: 'ms' },
    limit: { value: all(few), unit: 'ms', of: `${small.records.toLocaleString('en')} records known` },
    ratio,
    mustReach: atMost(ratio, 1.3, '×'),
    verified: 'every answer is 201, and what the captures stored, confirmed and contested is as much in both',
    details: { ...Object.fromEntries(kinds), captures: rounds * perRound },
  }
}
