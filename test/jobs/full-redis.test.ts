import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../support/processes/processes.ts'
import { openRedis } from '../support/servers/redis-server.ts'
import { createTestWorker, hasEnded, listRuns, requestRun } from './job-workers.ts'
import { openTestQueue } from './queue-backends.ts'

const server = await openRedis()

it.skipIf(!server)('a Redis without memory loses no run, and a worker goes on when it has some', async () => {
  const redis = new Redis(server?.url ?? '')
  const test = await openTestQueue(server?.url)
  onTestFinished(async () => {
    await test.close()
    redis.disconnect()
    server?.stop()
  })
  const worker = createTestWorker(test, 'one')
  await worker.work()
  await test.announcements.announceRun('decay', await requestRun(test))
  await until('the first run to end', () => hasEnded(test))
  await redis.config('SET', 'maxmemory', '1')
  expect(await test.announcements.announceRun('dream', await requestRun(test, 'dream'))).toBe(false)
  const poll = worker.poll(20)
  await until('the poll to find the run', () => hasEnded(test, 2))
  await poll.stop()
  await redis.config('SET', 'maxmemory', '0')
  expect(await test.announcements.announceRun('purge', await requestRun(test, 'purge'))).toBe(true)
  await until('the message to be handled', () => hasEnded(test, 3))
  expect(await listRuns(test)).toMatchObject([{ attempts: 1 }, { attempts: 1 }, { attempts: 1 }])
})
