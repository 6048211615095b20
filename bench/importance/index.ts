import type { BenchContext } from '../bench-context.ts'
import type { BenchDatabase } from '../database.ts'
import { copyPlain, updatePlain, vacuumTables } from '../decay/population.ts'
import { type Swept, sweep, type TwoWorkers, type Worker, withTwoWorkers } from '../decay/workers.ts'
import { assert } from '../load.ts'
import type { Result } from '../result.ts'
import { populate, verifyScores } from './population.ts'

const size = Number(process.env['BENCH_IMPORTANCE_RECORDS'] ?? 1_000_000)
const named = size.toLocaleString('en')
const day = 86_400_000

/** The change of a row by the plain update. */
const change = 'importance = 0.5 - importance'

type Bench = TwoWorkers & { database: BenchDatabase; note: BenchContext['note'] }

export async function benchImportance({ withDatabase, note }: BenchContext): Promise<Result[]> {
  return withDatabase(async (database) => {
    note(`${named} records, every fifth with 1 to 40 accesses`)
    await populate(database.pool, size)
    await copyPlain(database.pool)
    return withTwoWorkers(database.url, (workers) => measure({ ...workers, database, note }))
  })
}

async function measure(bench: Bench): Promise<Result[]> {
  const { note, one, two, ahead } = bench
  note('every score changes')
  const plainBefore = await updatePlain(bench.database.pool, change, size)
  const every = await refresh(bench, [one])
  assert(every.stats['refreshed'] === size, `${every.stats['refreshed']} records were moved`)
  const plainAfter = await updatePlain(bench.database.pool, change, size)
  note('no score changes')
  const none = await refresh(bench, [one])
  // Meanwhile one or the other record has completed a day.
  assert((none.stats['refreshed'] ?? 0) < size / 1_000, `${none.stats['refreshed']} records were moved`)
  note('a day later')
  ahead.ms = day
  const some = await refresh(bench, [one])
  note('two workers, every score changes')
  await bench.database.pool.query('update records set importance = 0')
  const together = await refresh(bench, [one, two])
  assert(together.stats['refreshed'] === size, `${together.stats['refreshed']} records were moved`)
  const plain = { seconds: (plainBefore + plainAfter) / 2, each: [plainBefore, plainAfter] }
  return [
    describe('every score changes', every, plain),
    describe('no score changes', none, plain),
    describe('a day later', some, plain),
    describeTwo(every, together),
  ]
}

async function refresh({ database: { pool }, one }: Bench, workers: readonly Worker[]): Promise<Swept> {
  await vacuumTables(pool, ['records', 'importance_history'])
  const refreshed = await sweep(workers, 'refresh_importance')
  await verifyScores({ pool, db: one.db }, refreshed.startedAt, size)
  return refreshed
}

type Plain = { seconds: number; each: readonly number[] }

function describe(what: string, { seconds, stats }: Swept, plain: Plain): Result {
  const measured = size / seconds
  const limit = size / plain.seconds
  return {
    work: `importance refresh, ${named} records, ${what}`,
    measured: { value: measured, unit: 'records/s' },
    limit: { value: limit, unit: 'rows/s', of: 'one UPDATE of importance, before and after' },
    ratio: measured / limit,
    details: {
      moved: stats['refreshed'] ?? 0,
      seconds: seconds.toFixed(1),
      plain_seconds: plain.each.map((each) => each.toFixed(1)).join(', '),
    },
    verified:
      'every stored score is within 0.01 of the exact one in SQL, and a sample within 0.01 of that in TypeScript',
  }
}

function describeTwo(alone: Swept, together: Swept): Result {
  const ratio = alone.seconds / together.seconds
  return {
    work: `importance refresh, ${named} records, two workers`,
    measured: { value: size / together.seconds, unit: 'records/s' },
    limit: { value: size / alone.seconds, unit: 'records/s', of: 'one worker' },
    ratio,
    details: { runs_helped_by_the_second: together.byHelpers },
    verified:
      'every stored score is within 0.01 of the exact one in SQL, and a sample within 0.01 of that in TypeScript',
  }
}
