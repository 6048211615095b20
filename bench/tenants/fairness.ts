import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchContext } from '../bench-context.ts'
import { populate } from '../decay/population.ts'
import { assert, median, percentile } from '../load.ts'
import { type Running, startProduct } from '../processes.ts'
import type { Result } from '../result.ts'
import { createTenant, environment, post } from './tenant-calls.ts'

const size = 300_000
const smallSize = 100
const runs = 40
const runDeadlineMs = 120_000

/** How long a small tenant waits for its jobs while those of a large one keep the same worker busy. */
export async function benchFairness({ withDatabase, note }: BenchContext): Promise<Result[]> {
  return withDatabase(async ({ url, pool }) => {
    const product = await startProduct('all', { ...environment, DATABASE_URL: url })
    try {
      const large = await createTenant(product, 'large')
      const small = await createTenant(product, 'small')
      for (const [tenant, records] of [
        [large, size],
        [small, smallSize],
      ] as const) {
        note(`${records} due records of ${tenant.id}`)
        const session = await pool.connect()
        await session.query(`set search_path to "${tenant.schema}"`)
        await populate(session, records, 0)
        session.release(true)
      }
      note('the small tenant alone')
      const alone = await repeat(() => finishRun(product, small.key, 'refresh_importance'))
      note('beside the large one')
      const busy = Promise.all(
        ['decay', 'refresh_importance'].map((job) => finishRun(product, large.key, job)),
      )
      const beside = await repeat(() => finishRun(product, small.key, 'refresh_importance'))
      const [decayMs = 0, importanceMs = 0] = await busy
      const took = beside.reduce((sum, ms) => sum + ms, 0)
      assert(took < Math.max(decayMs, importanceMs), 'the large tenant was not busy all the time')
      const measured = percentile(beside, 0.95)
      const limit = percentile(alone, 0.95)
      return [
        {
          work: `a job of a small tenant while ${size.toLocaleString('en')} records of another are swept, p95`,
          measured: { value: measured, unit: 'ms' },
          limit: { value: limit, unit: 'ms', of: 'the same while the other is idle' },
          ratio: measured / limit,
          verified:
            'every run succeeded, and those of the large tenant took longer than all of the small one',
          details: {
            p50_ms: median(beside),
            alone_p50_ms: median(alone),
            runs,
            large_sweep_s: decayMs / 1_000,
            large_refresh_s: importanceMs / 1_000,
          },
        },
      ]
    } finally {
      await product.stop()
    }
  })
}

async function repeat(work: () => Promise<number>): Promise<number[]> {
  const times: number[] = []
  for (let nth = 0; nth < runs; nth++) times.push(await work())
  return times
}

/** From the request of a run to the moment when it is seen to be finished, in milliseconds. */
async function finishRun({ url }: Running, key: string, job: string): Promise<number> {
  const started = performance.now()
  const answer = await post(url, '/v1/maintenance/runs', key, { job })
  assert(answer.status === 202 || answer.status === 200, `a run was answered ${answer.status}`)
  const { id } = (await answer.json()) as { id: string }
  for (;;) {
    const asked = await fetch(`${url}/v1/maintenance/runs/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const { status } = (await asked.json()) as { status: string }
    const ms = performance.now() - started
    if (status === 'succeeded') return ms
    assert(status === 'queued' || status === 'running', `the run ${status}`)
    assert(ms < runDeadlineMs, 'the run takes too long')
    await sleep(5)
  }
}
