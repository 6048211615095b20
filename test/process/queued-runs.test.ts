import { resolve } from 'node:path'
import { Redis } from 'ioredis'
import { expect, inject, it } from 'vitest'
import { launch, type Running, until } from '../support/processes/processes.ts'
import { launchRole, openMigratedDatabase, parseLogLines } from '../support/processes/roles.ts'

const redisUrl = inject('redisUrl')
const redisName = redisUrl === null ? 'Redis (left out: no REDIS_URL and no redis-server)' : 'Redis'
const rarePollWorker = resolve(import.meta.dirname, 'rare-poll-worker.ts')
const key = 'root-key-of-the-tests'

/** Schedules are off, so that every run is a requested one. */
const off = Object.fromEntries(
  ['DECAY', 'CONSOLIDATION', 'DREAM', 'COMPRESS', 'PURGE'].map((job) => [
    `MEMBRANE_${job}_INTERVAL`,
    'never',
  ]),
)

async function openRoles(variables: Record<string, string>) {
  const database = await openMigratedDatabase({ redisUrl: variables['REDIS_URL'] })
  const environment = {
    DATABASE_URL: database.url,
    MEMBRANE_API_KEY: key,
    PORT: '0',
    HOST: '127.0.0.1',
    ...variables,
  }
  const api = launchRole('api', environment)
  const url = (await api.waitForOutput(/"msg":"Server listening at (http:[^"]+)"/))[1] ?? ''
  const startWorker = () => launch([rarePollWorker], { env: { ...environment } })
  async function request(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${url}/v1/maintenance/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    expect(response.ok, await response.clone().text()).toBe(true)
    return (await response.json()) as Record<string, unknown>
  }
  const requestRun = async (job: string) => String((await request('POST', 'runs', { job }))['id'])
  const untilSucceeded = (id: string) =>
    until(`the run ${id} to end`, async () => {
      const { status } = await request('GET', `runs/${id}`)
      expect(status).not.toBe('failed')
      return status === 'succeeded'
    })
  return { api, startWorker, requestRun, untilSucceeded }
}

async function runsByMessage(variables: Record<string, string>): Promise<void> {
  const { api, startWorker, requestRun, untilSucceeded } = await openRoles(variables)
  const waiting = await requestRun('purge')
  const worker = startWorker()
  await untilSucceeded(waiting)
  // The poll looks once at the start; what comes later starts by its message or not at all.
  await worker.waitForOutput(/"msg":"working"/)
  for (const job of ['decay', 'purge', 'dream']) await untilSucceeded(await requestRun(job))
  const reasons = parseLogLines(worker)
    .filter(({ msg }) => msg === 'job done')
    .map(({ reason }) => reason)
  expect(reasons.filter((reason) => reason === 'request').length).toBeGreaterThanOrEqual(3)
  await stop(worker, api)
}

/** A numbered database of the test server that no other test uses, and without what an earlier run left. */
async function emptyRedis(): Promise<string> {
  const url = new URL(redisUrl ?? '')
  url.pathname = '/8'
  const redis = new Redis(url.href)
  await redis.flushdb()
  redis.disconnect()
  return url.href
}

async function stop(...processes: Running[]): Promise<void> {
  for (const running of processes) running.kill('SIGTERM')
  for (const running of processes)
    expect(await running.ended, running.output()).toEqual({ code: 0, signal: null })
}

it('a worker starts what another process requested before and requests later, by a queue in PostgreSQL', () =>
  runsByMessage(off))

it.skipIf(redisUrl === null)(
  `a worker starts what another process requested before and requests later, by a queue in ${redisName}`,
  async () => runsByMessage({ ...off, REDIS_URL: await emptyRedis() }),
)

it.skipIf(redisUrl === null)('a run is requested while Redis cannot be reached', async () => {
  const { requestRun } = await openRoles({ ...off, REDIS_URL: 'redis://127.0.0.1:1' })
  expect(await requestRun('purge')).toMatch(/^[0-9a-f-]{36}$/)
})
