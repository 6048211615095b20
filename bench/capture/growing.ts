import type { BenchContext } from '../bench-context.ts'
import { type Client, createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, drive, percentile } from '../load.ts'
import { type Running, startProduct } from '../processes.ts'
import { atMost, type Result } from '../result.ts'
import { cycle, type Kind, kindOf, knownTasks, makeEvidence, verifyCycles } from './evidence.ts'
import { populate } from './population.ts'
import { type Counts, countNew, countRows } from './rows.ts'
import type { World } from './world.ts'

const least = { records: 1_000 }
/**
 * PostgreSQL scans a table of some hundred rows, and a session keeps that plan: a store of a thousand is slower than
 * one of ten thousand, and a comparison with it alone would hide any growth.
 */
const small = { records: 10_000 }
const large = { records: Number(process.env['BENCH_CAPTURE_RECORDS'] ?? 1_000_000) }
/** Short turns: with two hundred captures each, two stores of one size differed by up to an eighth. */
const perTurn = 2 * cycle
const turns = 40
/** Warms up: known tasks occur, statements are prepared, pages are read. */
const beginning = cycle * knownTasks

type Store = {
  database: BenchDatabase
  world: World
  api: Running
  client: Client
  latencies: Map<Kind, number[]>
}

/** `twin` has the size of `few`: the difference between them is the error of the measurement. */
type Stores = { fewest: Store; few: Store; copy: Store; many: Store }

/** Sends the same captures to small stores and a large one, in turns. */
export function measureGrowing(context: BenchContext): Promise<Result[]> {
  const { withDatabase } = context
  return withDatabase((one) =>
    withDatabase((two) =>
      withDatabase((three) => withDatabase((four) => measureIn([one, two, three, four], context.note))),
    ),
  )
}

type Four<T> = readonly [T, T, T, T]

async function measureIn(
  [one, two, three, four]: Four<BenchDatabase>,
  note: BenchContext['note'],
): Promise<Result[]> {
  await populate(one, least)
  await populate(two, small)
  await populate(three, small)
  note(`filling up to ${large.records} records`)
  await populate(four, large)
  const opened = [open(one, least), open(two, small), open(three, small), open(four, large)] as const
  const [fewest, few, copy, many] = await Promise.all(opened)
  try {
    return await measure({ fewest, few, copy: copy, many }, note)
  } finally {
    for (const { client, api } of [fewest, few, copy, many]) {
      client.close()
      await api.stop()
    }
  }
}

async function open(database: BenchDatabase, world: World): Promise<Store> {
  const api = await startProduct('api', { DATABASE_URL: database.url })
  return { database, world, api, client: await createClient(api.url, 1), latencies: new Map() }
}

async function measure(stores: Stores, note: BenchContext['note']): Promise<Result[]> {
  const all = Object.values(stores)
  for (const store of all) {
    await capture(store, 0, beginning)
    store.latencies.clear()
    // Autovacuum would do it later, in the middle of a measurement.
    await store.database.pool.query('vacuum (analyze)')
    await store.database.pool.query('checkpoint')
  }
  const before = await Promise.all(all.map(count))
  note('captures in turns')
  for (let turn = 0; turn < turns; turn++) {
    // Each store goes first equally often.
    const order = all.map((_, place) => all[(place + turn) % all.length] ?? stores.few)
    for (const store of order) await capture(store, beginning + turn * perTurn, perTurn)
  }
  const after = await Promise.all(all.map(count))
  for (const [index, counts] of after.entries()) {
    verifyCycles(countNew(before[index] ?? {}, counts), turns * perTurn)
  }
  return [stores.fewest, stores.few].flatMap((base) => [
    report('p50', base, stores, 0.5),
    report('p95', base, stores, 0.95),
  ])
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

function report(name: string, base: Store, { few, copy, many }: Stores, share: number): Result {
  const all = ({ latencies }: Store) => percentile([...latencies.values()].flat(), share)
  const ratio = all(many) / all(base)
  const kinds = [...many.latencies].map(([kind, latencies]) => {
    const before = percentile(base.latencies.get(kind) ?? [], share)
    return [`${kind}, ms`, `${before.toFixed(1)} → ${percentile(latencies, share).toFixed(1)}`] as const
  })
  return {
    work: `capture, ${large.records.toLocaleString('en')} records known, ${name}`,
    measured: { value: all(many), unit: 'ms' },
    limit: { value: all(base), unit: 'ms', of: `${base.world.records.toLocaleString('en')} records known` },
    ratio,
    mustReach: atMost(ratio, 1.3, '×'),
    verified:
      'every answer is 201, and the captures stored, confirmed and contested equally many records in all stores',
    details: {
      ratio_of_two_of_10k: all(copy) / all(few),
      ...Object.fromEntries(kinds),
      captures: turns * perTurn,
    },
  }
}
