import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchContext } from '../bench-context.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, median, percentile } from '../load.ts'
import { startProduct } from '../processes.ts'
import { atMost, type Result } from '../result.ts'

const runs = 50
const key = 'root-key-of-the-benchmark'
const maxMs = 50

/** From the answer to a requested run until an idle worker of another process has started it. */
export async function benchJobs({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const results: Result[] = []
  const redisUrl = process.env['REDIS_URL']
  const queues = [
    { name: 'PostgreSQL', variables: {} },
    ...(redisUrl === undefined ? [] : [{ name: 'Redis', variables: { REDIS_URL: redisUrl } }]),
  ]
  for (const { name, variables } of queues) {
    await withDatabase(async (database) => {
      note(`${runs} requested runs, by a queue in ${name}`)
      const product = await startProduct('all', {
        DATABASE_URL: database.url,
        MEMBRANE_API_KEY: key,
        ...variables,
      })
      results.push(...describe(name, await measure(database, product.url)))
      await product.stop()
    })
  }
  return results
}

async function measure({ pool }: BenchDatabase, url: string): Promise<number[]> {
  const waits: number[] = []
  await untilIdle(pool)
  for (let nth = 0; nth < runs; nth++) {
    const response = await fetch(`${url}/v1/maintenance/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ job: 'purge' }),
    })
    const answeredAt = Date.now()
    const { id } = (await response.json()) as { id: string }
    assert(response.status === 202, `a request was answered ${response.status}`)
    await untilIdle(pool)
    const { rows } = await pool.query<{ started_at: Date; status: string }>(
      'select started_at, status from maintenance_runs where id = $1',
      [id],
    )
    assert(rows[0]?.status === 'succeeded', `a run ended as ${rows[0]?.status}`)
    // The worker may start a run before the answer has arrived.
    waits.push(Math.max(0, (rows[0]?.started_at.getTime() ?? 0) - answeredAt))
  }
  return waits
}

/** Schedules that are due at the first start make runs too. */
async function untilIdle(pool: BenchDatabase['pool']): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ ended: number; open: number }>(
      `select count(*) filter (where finished_at is not null)::int as ended,
         count(*) filter (where finished_at is null)::int as open from maintenance_runs`,
    )
    if (rows[0] && rows[0].ended > 0 && rows[0].open === 0) return
    await sleep(10)
  }
}

function describe(queue: string, waits: readonly number[]): Result[] {
  const p50 = median(waits)
  const p95 = percentile(waits, 0.95)
  const verified = 'each run succeeded; its start is the time in its row'
  return [
    {
      work: `start of a requested run, queue in ${queue}, p95`,
      measured: { value: p95, unit: 'ms' },
      mustReach: atMost(p95, maxMs, 'ms'),
      verified,
      details: { p50_ms: p50, slowest_ms: Math.max(...waits) },
    },
  ]
}
