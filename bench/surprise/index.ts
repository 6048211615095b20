import { transact } from '../../src/db/transaction.ts'
import { createSurpriseComparison } from '../../src/embeddings/surprise/surprise-comparison.service.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { createLogger } from '../../src/kernel/log.ts'
import type { BenchContext } from '../bench-context.ts'
import { type BenchDatabase, connectBench } from '../database.ts'
import { populateVectors } from '../embeddings/population.ts'
import { createTextSpace } from '../embeddings/spaces.ts'
import { assert } from '../load.ts'
import type { Result } from '../result.ts'

const newcomers = 1_000
const clock: Clock = { now: () => new Date() }
const log = createLogger({ level: 'error', clock, write: (line) => process.stderr.write(line) })

/**
 * Measures the comparison of new records with all records of their scope, without an index: many at once, and one
 * alone.
 */
export async function benchSurprise({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const sizes = (process.env['BENCH_SURPRISE_RECORDS'] ?? '1000,10000,100000').split(',').map(Number)
  const results: Result[] = []
  for (const size of sizes) {
    await withDatabase(async (database) => {
      note(`${size} records of one scope, ${newcomers} new ones`)
      await populateVectors(database, createTextSpace(), size + newcomers)
      await database.pool.query(`update records set scope = 'bench', created_at = now() - interval '1 day'`)
      await database.pool.query('vacuum (analyze) records')
      results.push(await measure(database, size))
    })
  }
  return results
}

async function measure(database: BenchDatabase, size: number): Promise<Result> {
  await list(database, size, newcomers - 1)
  const many = await compare(database)
  await list(database, size + newcomers - 1, 1)
  const one = await compare(database)
  const { rows } = await database.pool.query<{ count: number; distance: number }>(
    'select count(*)::int as count, max((neighbours -> 0 ->> $1)::float8) as distance from surprises',
    ['similarity'],
  )
  assert(rows[0]?.count === newcomers, `${rows[0]?.count} of ${newcomers} are compared`)
  return {
    work: `surprise of records new to ${size.toLocaleString('en')} of their scope`,
    measured: { value: ((newcomers - 1) * 1_000) / many, unit: '/s' },
    verified: 'each record has its surprise, and no record waits for one',
    details: { one_by_itself_ms: Math.round(one) },
  }
}

async function list({ pool }: BenchDatabase, after: number, count: number): Promise<void> {
  await pool.query(
    `insert into unsurprised (record_id, created_at, asked_at)
     select id, created_at, created_at from records order by id offset $1 limit $2`,
    [after, count],
  )
}

async function compare(database: BenchDatabase): Promise<number> {
  const { db, close } = connectBench(database.url, 2)
  try {
    const surprising = createSurpriseComparison({ clock, log })
    const { signal } = new AbortController()
    const started = performance.now()
    await surprising.comparePending({ inBatch: (work) => transact(db, {}, work), scope: null, signal })
    const { rows } = await database.pool.query<{ count: number }>(
      'select count(*)::int as count from unsurprised',
    )
    assert(rows[0]?.count === 0, 'none is listed any more')
    return performance.now() - started
  } finally {
    await close()
  }
}
