import { Redis } from 'ioredis'
import { expect, inject, it } from 'vitest'
import { until } from '../support/processes/processes.ts'
import { launchRole, openMigratedDatabase } from '../support/processes/roles.ts'

const redisUrl = inject('redisUrl')
const redisName = redisUrl === null ? 'Redis (left out: no REDIS_URL and no redis-server)' : 'Redis'

async function runPurge(variables: Record<string, string>): Promise<void> {
  const { db, pool, url } = await openMigratedDatabase({ redisUrl: variables['REDIS_URL'] })
  await pool.query(
    `insert into idempotency_keys (principal, key, fingerprint, status, headers, created_at, expires_at)
     select 'root', gen_random_uuid()::text, 'f', 200, '{}', now(), now() from generate_series(1, 1500)`,
  )
  // The next poll is half a minute later, so a tick of the queue has to start the run.
  const dueAt = new Date(Date.now() + 3_000)
  await db.insertInto('job_schedules').values({ job: 'purge', enabled: true, next_at: dueAt }).execute()
  const worker = launchRole('worker', { DATABASE_URL: url, MEMBRANE_PURGE_INTERVAL: '10s', ...variables })
  await until('the expired to be gone', async () => {
    const { rows } = await pool.query('select count(*)::int as count from idempotency_keys')
    return rows[0].count === 0
  })
  await worker.waitForOutput(/"job":"purge"[^\n]*"msg":"run ended"/)
  const schedule = db.selectFrom('job_schedules').select('next_at').where('job', '=', 'purge')
  const next = (await schedule.executeTakeFirstOrThrow()).next_at.getTime()
  expect(next).toBeGreaterThan(dueAt.getTime())
  expect(next).toBeLessThanOrEqual(Date.now() + 10_000)
  worker.kill('SIGTERM')
  expect(await worker.ended, worker.output()).toEqual({ code: 0, signal: null })
}

/** Returns an empty numbered database of the test Redis that no other test uses. */
async function emptyRedis(): Promise<string> {
  const url = new URL(redisUrl ?? '')
  url.pathname = '/9'
  const redis = new Redis(url.href)
  await redis.flushdb()
  redis.disconnect()
  return url.href
}

it('a worker purges expired rows on its schedule, with the queue in PostgreSQL', () => runPurge({}))

it.skipIf(redisUrl === null)(
  `a worker purges expired rows on its schedule, with the queue in ${redisName}`,
  async () => runPurge({ REDIS_URL: await emptyRedis() }),
)
