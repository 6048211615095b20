import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import type { Database } from '../../src/db/connection.ts'
import { transact } from '../../src/db/transaction.ts'
import { prepareQueue } from '../../src/jobs/queue.ts'
import { systemClock as clock } from '../../src/kernel/clock.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { startWorking } from '../../src/process/worker-process.ts'
import { openTestDatabase } from '../support/database.ts'

const log = createLogger({ level: 'silent', clock, write: () => {} })

it('a batch waits while batches of other jobs have all connections of the worker for many seconds', async () => {
  const database = await openTestDatabase()
  const { url } = database
  await prepareQueue({ redisUrl: undefined, databaseUrl: url })
  let db: Database | undefined
  const service = await startWorking({
    config: readConfig({ DATABASE_URL: url }),
    log,
    clock,
    createJobs: (connection) => {
      db = connection.db
      return { handle: async () => ({}), startPolls: () => ({ stop: async () => {} }) }
    },
  })
  const doBatch = () => db && transact(db, {}, async (tx) => void (await sql`select pg_sleep(6)`.execute(tx)))
  const batches = await Promise.allSettled(Array.from({ length: 6 }, doBatch))
  await service.stop()
  await database.close()
  expect(batches.map(({ status }) => status)).toEqual(Array(6).fill('fulfilled'))
})
