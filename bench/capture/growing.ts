import { type Client, createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import type { Ground } from '../ground.ts'
import { assert, drive, percentile } from '../load.ts'
import { type Running, startProduct } from '../processes.ts'
import { atMost, type Result } from '../result.ts'
import { cycle, type Kind, kindOf, knownTasks, makeEvidence, verifyCycles } from './evidence.ts'
import { populate } from './population.ts'
import { type Counts, countNew, countRows } from './rows.ts'
import type { World } from './world.ts'

const small = { records: 1_000 }
const large = { records: Number(process.env['BENCH_CAPTURE_RECORDS'] ?? 1_000_000) }
/** Short turns: with two hundred captures each, two stores of one size were up to an eighth apart. */
const perTurn = 2 * cycle
const turns = 42
/** Known tasks are told of, statements prepared and pages read. */
const beginning = cycle * knownTasks

type Store = {
  database: BenchDatabase
  world: World
  api: Running
  client: Client
  latencies: Map<Kind, number[]>
}

/** `twin` is as small as `few`: what sets those two apart is the error of the measurement. */
type Stores = { few: Store; twin: Store; many: Store }

/** The same captures one after the other into a store that knows little and one that knows much, in turns. */
export function measureGrowing({ withDatabase, note }: Ground): Promise<Result[]> {
  return withDatabase((one) =>
    withDatabase((two) =>
      withDatabase(async (three) => {
        await populate(one, small)
        await populate(two, small)
        note(`filling up to ${large.records} records`)
        await populate(three, large)
        const opened = await Promise.all([open(one, small), open(two, small), open(three, large)])
        const [few, twin, many] = opened
        try {
          return await measure({ few, twin, many }, note)
        } finally {
          for (const { client, api } of opened) {
            client.close()
            await api.stop()
          }
        }
      }),
    ),
  )
}

async function open(database: BenchDatabase, world: World): Promise<Store> {
  const api = await startProduct('api', { DATABASE_URL: database.url })
  return { database, world, api, client: await createClient(api.url, 1), latencies: new Map() }
}

async function measure(stores: Stores, note: Ground['note']): Promise<Result[]> {
  const all = Object.values(stores)
  for (const store of all) {
    await capture(store, 0, beginning)
    store.latencies.clear()
  }
  const before = await Promise.all(all.map(count))
  note('captures in turns')
  for (let turn = 0; turn < turns; turn++) {
    // Each goes first as often as the others.
    const order = all.map((_, place) => all[(place + turn) % all.length] ?? stores.few)
    for (const store of order) await capture(store, beginning + turn * perTurn, perTurn)
  }
  const after = await Promise.all(all.map(count))
  for (const [index, counts] of after.entries()) {
    verifyCycles(countNew(before[index] ?? {}, counts), turns * perTurn)
  }
  return [report('p50', stores, 0.5), report('p95', stores, 0.95)]
}

function count({ database }: Store): Promise<Counts> {
  return countRows(database.pool)
}

async function capture({ client, world, latencies }: Store, first: number, captures: number): Promise<void> {
  const bodies = Array.from({ length: captures }, (_, index) => makeEvidence(first + index, world))
  const { latencies: each } = await drive(captures, 1, async (index) => {
    const { status, text } = await client.send('POST', '/v1/capture', bodies[index])
    assert(status === 201, `a capture was answered ${status}: ${text}`)
  })
  for (const [index, latency] of each.entries()) {
    const kind = kindOf(first + index)
    latencies.set(kind, [...(latencies.get(kind) ?? []), latency])
  }
}

function report(name: string, { few, twin, many }: Stores, share: number): Result {
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
    verified:
      'every answer is 201, and what the captures stored, confirmed and contested is as much in all stores',
    details: {
      ratio_of_two_small_stores: all(twin) / all(few),
      ...Object.fromEntries(kinds),
      captures: turns * perTurn,
    },
  }
}
