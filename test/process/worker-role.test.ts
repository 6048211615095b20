import { Redis } from 'ioredis'
import { expect, inject, it } from 'vitest'
import { until } from '../support/processes.ts'
import { launchRole, openMigratedDatabase } from '../support/roles.ts'

const redisUrl = inject('redisUrl')
const redisName = redisUrl === null ? 'Redis (left out: no REDIS_URL and no redis-server)' : 'Redis'

async function runPurge(variables: Record<string, string>): Promise<void> {
  const database = await openMigratedDatabase({ redisUrl: variables['REDIS_URL'] })
  const expired = () =>
    database.pool.query(
      `insert into idempotency_keys (principal, key, fingerprint, status, headers, created_at, expires_at)
       select 'root', gen_random_uuid()::text, 'f', 200, '{}', now(), now() from generate_series(1, 1500)`,
    )
  await expired()
  const environment = { DATABASE_URL: database.url, MEMBRANE_PURGE_INTERVAL: '10s', ...variables }
  const workers = [launchRole('worker', environment), launchRole('worker', environment)]
  const untilPurged = () =>
    until('the expired to be gone', async () => {
      const { rows } = await database.pool.query('select count(*)::int as count from idempotency_keys')
      return rows[0].count === 0
    })
  await untilPurged()
  await expired()
  await untilPurged()
  for (const worker of workers) worker.kill('SIGTERM')
  for (const worker of workers) expect(await worker.ended, worker.output()).toEqual({ code: 0, signal: null })
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
