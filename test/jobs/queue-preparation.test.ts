import { expect, it, onTestFinished } from 'vitest'
import { openQueue, prepareQueue } from '../../src/jobs/queue/queue.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { launch, until } from '../support/processes/processes.ts'
import { createEmptyTestDatabase, openTestDatabase } from '../support/servers/database.ts'
import { administer } from '../support/servers/postgres-processes.ts'
import { openTestQueue } from './queue-backends.ts'

const door = new URL('../../src/jobs/queue/queue.ts', import.meta.url).href
const log = createLogger({ level: 'silent', clock: systemClock, write: () => {} })

it('three processes can prepare the queue at once', async () => {
  const database = await createEmptyTestDatabase()
  onTestFinished(() => database.drop())
  const script = `
    import { prepareQueue } from ${JSON.stringify(door)}
    await prepareQueue({ redisUrl: undefined, databaseUrl: process.argv[1] })
  `
  const racers = [1, 2, 3].map(() => launch(['--input-type=module', '-e', script, database.url]))
  for (const racer of racers) expect(await racer.ended, racer.output()).toEqual({ code: 0, signal: null })
  const [tables] = await administer(database.url, `select from pg_tables where schemaname = 'bullmq'`)
  expect(tables?.rowCount).toBeGreaterThan(5)
})

it('a queue that is not prepared says so, and works as soon as it is prepared', async () => {
  const database = await openTestDatabase()
  const settings = { redisUrl: undefined, databaseUrl: database.url }
  const queue = openQueue(settings, log)
  await expect(queue.ready()).rejects.toThrow('not initialized')
  await expect(queue.enqueue('purge', { reason: 'tick' })).rejects.toThrow('not initialized')
  await prepareQueue(settings)
  await until('the queue to be ready', () =>
    queue.ready().then(
      () => true,
      () => false,
    ),
  )
  await queue.enqueue('purge', { reason: 'tick' })
  await queue.close()
  await database.close()
})

it('preparing the queue twice changes nothing', async () => {
  const test = await openTestQueue(undefined)
  await test.queue.enqueue('purge', { reason: 'tick' })
  await prepareQueue(test.settings)
  let ran = 0
  await test.startWorker({ purge: async () => ({ nth: ++ran }) })
  await until('the job to run', () => ran === 1)
  await test.close()
})

it('a worker continues after PostgreSQL ended its sessions', async () => {
  const test = await openTestQueue(undefined)
  let ran = 0
  await test.startWorker({ purge: async () => ({ nth: ++ran }) })
  await test.queue.enqueue('purge', { reason: 'tick' })
  await until('the first job to run', () => ran === 1)
  await administer(
    test.settings.databaseUrl,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await until('the queue to take a job', () =>
    test.queue.enqueue('purge', { reason: 'tick' }).then(
      () => true,
      () => false,
    ),
  )
  await until('the second job to run', () => ran === 2)
  await test.close()
})
