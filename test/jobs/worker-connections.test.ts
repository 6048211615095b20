import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { connect, type Database } from '../../src/db/connection.ts'
import { transact } from '../../src/db/transaction.ts'
import { prepareQueue } from '../../src/jobs/queue/queue.ts'
import type { JobWork } from '../../src/jobs/runs/runs.ts'
import { systemClock as clock } from '../../src/kernel/clock.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createRunner } from '../../src/maintenance/index.ts'
import { insertRun } from '../../src/maintenance/maintenance.queries.ts'
import { startWorking } from '../../src/process/worker-process.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { createTenantDatabase } from '../support/servers/tenant-databases.ts'
import { idleWorks, noIntervals } from '../support/workers/idle-jobs.ts'

const log = createLogger({ level: 'silent', clock, write: () => {} })

type Working = Parameters<typeof startWorking>[0]

/** Starts a worker without jobs of its own. */
async function startIdle(url: string, more: Pick<Working, 'createJobs' | 'listen'>) {
  await prepareQueue({ redisUrl: undefined, databaseUrl: url })
  return startWorking({ config: readConfig({ DATABASE_URL: url }), log, clock, ...more })
}

const idleJobs = { handle: async () => ({}), startPolls: () => ({ stop: async () => {} }) }
const connections = 5

it('a worker whose connections are all in use is ready and keeps the lease of its run', async () => {
  const { url, db: outside, close } = await openTestDatabase()
  const opened = Promise.withResolvers<Parameters<Working['createJobs']>>()
  const checked = Promise.withResolvers<{ database(): Promise<void> }>()
  const service = await startIdle(url, {
    createJobs: (...given) => {
      opened.resolve(given)
      return idleJobs
    },
    listen: async (_, checks) => {
      checked.resolve(checks)
      return async () => {}
    },
  })
  const [{ db }, , heartbeats] = await opened.promise
  const ids = createIds(clock)
  const begun = Promise.withResolvers<void>()
  const busy = Promise.withResolvers<void>()
  const decay: JobWork = {
    run: async () => {
      begun.resolve()
      await busy.promise
    },
  }
  const lease = { clock, ids, log, leaseMs: 600, intervals: noIntervals, jobWorks: { ...idleWorks, decay } }
  const run = (worker: ReturnType<typeof createRunner>) =>
    worker.runJob('decay', new AbortController().signal)
  await insertRun(outside, { id: ids.next(), job: 'decay', trigger: 'manual', now: clock.now() })
  const running = run(createRunner({ ...lease, db, heartbeatDb: heartbeats.db, worker: 'one' }))
  await begun.promise
  const statements = Array.from({ length: connections }, () => sql`select pg_sleep(1.5)`.execute(db))
  const { database } = await checked.promise
  expect(await Promise.race([database().then(() => 'ready'), sleep(700, 'late')])).toBe('ready')
  await sleep(500)
  expect(await run(createRunner({ ...lease, db: outside, worker: 'other' }))).toBe(0)
  await Promise.all(statements)
  busy.resolve()
  expect(await running).toBe(1)
  await service.stop()
  await close()
})

it('a statement waits for a connection to a server of tenants as long as the process lets it', async () => {
  const own = await createTenantDatabase()
  const settings = { poolSize: 1, statementTimeoutMs: 5_000, lockTimeoutMs: 5_000, applicationName: 'test' }
  const connection = connect({ ...settings, url: own.url, connectionTimeoutMs: 300, tenants: true })
  const db = connection.databaseOf('public', own.url)
  const statement = sql`select pg_sleep(1.5)`.execute(db)
  const startedAt = performance.now()
  await expect(sql`select`.execute(db)).rejects.toThrow('unavailable')
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  await statement
  await connection.close()
  await own.drop()
})

it('a batch waits while batches of other jobs have all connections of the worker for many seconds', async () => {
  const database = await openTestDatabase()
  const { url } = database
  let db: Database | undefined
  const service = await startIdle(url, {
    createJobs: (connection) => {
      db = connection.db
      return idleJobs
    },
  })
  // Elsewhere in the service a statement waits for five seconds.
  const doBatch = (seconds: number) =>
    db && transact(db, {}, async (tx) => void (await sql`select pg_sleep(${seconds})`.execute(tx)))
  const long = Array.from({ length: connections }, () => 5.5)
  const batches = await Promise.allSettled([...long, 0].map(doBatch))
  await service.stop()
  await database.close()
  expect(batches.map(({ status }) => status)).toEqual(Array(connections + 1).fill('fulfilled'))
})
