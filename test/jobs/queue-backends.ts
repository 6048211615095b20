import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import type { JobName } from '../../src/jobs/job-names.ts'
import { createAnnouncements } from '../../src/jobs/queue/announcements.ts'
import type { JobHandler, JobReport } from '../../src/jobs/queue/job-message.ts'
import { openQueue, prepareQueue } from '../../src/jobs/queue/queue.ts'
import type { QueueSettings } from '../../src/jobs/queue/queue-backend.ts'
import { startWorker } from '../../src/jobs/queue/worker.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { openTestDatabase } from '../support/servers/database.ts'

const redisUrl = inject('redisUrl')

/** Every test of a queue runs on both. */
export const backends = [
  { name: 'on PostgreSQL', missing: false, redisUrl: undefined },
  {
    name: redisUrl === null ? 'on Redis (left out: no REDIS_URL and no redis-server)' : 'on Redis',
    missing: redisUrl === null,
    redisUrl: redisUrl ?? undefined,
  },
]

/** For tests that are about some jobs: the others do nothing. */
type Handlers = Partial<Record<JobName, (signal: AbortSignal) => Promise<JobReport>>>

/** Opens a queue of the test's own, with the workers that it starts. */
export async function openTestQueue(chosen: string | undefined) {
  const database = await openTestDatabase()
  const settings: QueueSettings = {
    redisUrl: chosen,
    databaseUrl: database.url,
    prefix: `test-${randomUUID()}`,
  }
  const lines: string[] = []
  const log = createLogger({ level: 'debug', clock: systemClock, write: (line) => void lines.push(line) })
  await prepareQueue(settings)
  const queue = openQueue(settings, log)
  await queue.ready()
  const workers: Awaited<ReturnType<typeof startWorker>>[] = []
  return {
    db: database.db,
    queue,
    settings,
    lines,
    announcements: createAnnouncements({ queue, clock: systemClock, log }),
    startWorker: async (handlers: JobHandler | Handlers, concurrency = 2) => {
      const handle: JobHandler =
        typeof handlers === 'function'
          ? handlers
          : async (job, signal) => (await handlers[job]?.(signal)) ?? {}
      const worker = await startWorker({ settings, log, concurrency, handle })
      workers.push(worker)
      return worker
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.stop(1_000)))
      await queue.close()
      await database.close()
    },
  }
}

export type TestQueue = Awaited<ReturnType<typeof openTestQueue>>
