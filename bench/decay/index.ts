import { sweepLagMs } from '../../src/domain/lifecycle/sweep-lag.ts'
import type { BenchContext } from '../bench-context.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, median } from '../load.ts'
import { atLeast, type Result } from '../result.ts'
import { copyPlain, idOf, populate, updatePlain, vacuumTables, verifySwept } from './population.ts'
import { type Swept, sweep, type TwoWorkers, type Worker, withTwoWorkers } from './workers.ts'

const size = 1_000_000
const portion = 10_000
const day = 86_400_000

/** The change of a row by the plain update. */
const change = 'salience = salience * 0.9::float4'

type Bench = TwoWorkers & { database: BenchDatabase; note: BenchContext['note'] }

export async function benchDecay({ withDatabase, note }: BenchContext): Promise<Result[]> {
  return withDatabase(async (database) => {
    note('a million records')
    await populate(database.pool, size, 2 * portion)
    await copyPlain(database.pool)
    return withTwoWorkers(database.url, (workers) => measure({ ...workers, database, note }))
  })
}

async function measure(bench: Bench): Promise<Result[]> {
  const { note } = bench
  note('every row due')
  const plainBefore = await updatePlain(bench.database.pool, change, size)
  const alone = await sweepAll(bench, [bench.one])
  const plainAfter = await updatePlain(bench.database.pool, change, size)
  note('nothing due')
  const idle = await measureIdle(bench)
  note('two workers')
  bench.ahead.ms += 5 * day
  const together = await sweepAll(bench, [bench.one, bench.two])
  note('pruning')
  const pruning = await measurePruning(bench)
  const seconds = (plainBefore + plainAfter) / 2
  return [
    describeSweep(alone, seconds, [plainBefore, plainAfter]),
    idle,
    describeTwo(alone, together),
    pruning,
  ]
}

async function sweepAll({ database: { pool } }: Bench, workers: readonly Worker[]): Promise<Swept> {
  await vacuumTables(pool, ['records'])
  const swept = await sweep(workers)
  assert(swept.stats['materialised'] === size, `${swept.stats['materialised']} records were swept`)
  await verifySwept(pool, new Date(swept.startedAt.getTime() - sweepLagMs), size)
  return swept
}

function describeSweep(alone: Swept, plainSeconds: number, each: readonly number[]): Result {
  const measured = size / alone.seconds
  const limit = size / plainSeconds
  return {
    work: 'decay sweep, 1M records, every row due',
    measured: { value: measured, unit: 'records/s' },
    limit: { value: limit, unit: 'rows/s', of: 'one UPDATE of a float, before and after' },
    ratio: measured / limit,
    mustReach: atLeast(measured / limit, 0.6),
    details: { plain_seconds: each.map((seconds) => seconds.toFixed(1)).join(', ') },
    verified: 'every stored salience is that of the closed form, within 1e-12',
  }
}

async function measureIdle({ database: { pool }, one }: Bench): Promise<Result> {
  await vacuumTables(pool, ['records'])
  const times: number[] = []
  for (let nth = 0; nth < 11; nth++) {
    const { seconds, stats } = await sweep([one])
    assert(Object.keys(stats).length === 0 || stats['materialised'] === 0, 'something was due')
    times.push(seconds * 1_000)
  }
  const value = median(times)
  return {
    work: 'decay sweep, nothing due, 1M records',
    measured: { value, unit: 'ms' },
    mustReach: { text: '< 50 ms', reached: value < 50 },
    details: { slowest_ms: Math.max(...times) },
    verified: 'the time of a whole run, from its claim to its end; no run wrote a record',
  }
}

function describeTwo(alone: Swept, together: Swept): Result {
  const ratio = alone.seconds / together.seconds
  return {
    work: 'decay sweep, 1M records, two workers',
    measured: { value: size / together.seconds, unit: 'records/s' },
    limit: { value: size / alone.seconds, unit: 'records/s', of: 'one worker' },
    ratio,
    mustReach: atLeast(ratio, 1.5),
    details: { runs_helped_by_the_second: together.byHelpers },
    verified: 'every stored salience is that of the closed form, within 1e-12',
  }
}

/** Spread over the table, as faded records are. */
const spread = (n: number) => 1 + ((n * 7_919) % (2 * portion))

async function measurePruning({ database: { pool }, one }: Bench): Promise<Result> {
  const ids = Array.from({ length: 2 * portion }, (_, n) => idOf(spread(n)))
  const deleted = ids.slice(0, portion)
  const faded = ids.slice(portion)
  await pool.query('update records set prune_at = $2 where id = any($1::uuid[])', [faded, one.clock.now()])
  await vacuumTables(pool, ['records', 'contents', 'audit_entries'])
  const started = performance.now()
  const { rowCount } = await pool.query('delete from records where id = any($1::uuid[])', [deleted])
  const deleteSeconds = (performance.now() - started) / 1_000
  assert(rowCount === portion, `${rowCount} rows were deleted`)
  await vacuumTables(pool, ['records', 'contents', 'audit_entries'])
  const { seconds, stats } = await sweep([one])
  assert(stats['pruned'] === portion, `${stats['pruned']} records were pruned`)
  await verifyPruned(pool, faded)
  const ratio = deleteSeconds / seconds
  return {
    work: 'prune 10k due of 1M',
    measured: { value: portion / seconds, unit: 'records/s' },
    limit: { value: portion / deleteSeconds, unit: 'rows/s', of: 'DELETE of 10k by primary key' },
    ratio,
    mustReach: atLeast(ratio, 0.6),
    verified: 'the 10k are forgotten, each with its audit entry and its change, and no other',
  }
}

async function verifyPruned(pool: BenchDatabase['pool'], ids: readonly string[]): Promise<void> {
  const { rows } = await pool.query<{ forgotten: number; expected: number; audited: number; listed: number }>(
    `select count(*)::int as forgotten, (count(*) filter (where id = any($1::uuid[])))::int as expected,
       (select count(*)::int from audit_entries where action = 'delete') as audited,
       (select count(*)::int from maintenance_changes where action = 'prune') as listed
     from records where forgotten_at is not null`,
    [ids],
  )
  const counts = JSON.stringify(rows[0])
  assert(new Set(Object.values(rows[0] ?? {})).size === 1 && rows[0]?.forgotten === portion, counts)
}
