import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { type JobName, jobNames } from '../../src/jobs/job-names.ts'
import { createQueue } from '../../src/jobs/queue/queue-backend.ts'
import type { JobWork } from '../../src/jobs/runs/runs.ts'
import { systemClock as clock } from '../../src/kernel/clock.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createRunner, startDueJobsPoll } from '../../src/maintenance/index.ts'
import { insertRun } from '../../src/maintenance/maintenance.queries.ts'
import { administer } from '../support/servers/postgres-processes.ts'
import { noIntervals } from '../support/workers/idle-jobs.ts'
import type { TestQueue } from './queue-backends.ts'

const ids = createIds(clock)
const log = createLogger({ level: 'silent', clock, write: () => {} })

/** So rare that within a test only its first look happens. */
export const rarely = 3_600_000

type Options = { intervals?: Readonly<Record<JobName, number>>; run?: JobWork['run'] }

/** A worker of which a test starts the queue's side, the poll, or both. */
export function createTestWorker(
  test: TestQueue,
  name: string,
  { intervals = noIntervals, run = oneBatch }: Options = {},
) {
  let runs = 0
  const work: JobWork = {
    run: async (context) => {
      await run(context)
      runs++
    },
  }
  const jobWorks = Object.fromEntries(jobNames.map((name) => [name, work])) as Record<JobName, JobWork>
  const { db, announcements } = test
  const runner = createRunner({ db, clock, ids, log, worker: name, jobWorks, intervals, announcements })
  return {
    runner,
    countRuns: () => runs,
    /** Takes messages of the queue. */
    work: () =>
      test.startWorker(async (job, signal, showRun) => ({ runs: await runner.runJob(job, signal, showRun) })),
    /** Looks by itself until the test ends. */
    poll: (everyMs: number) => {
      const poll = startDueJobsPoll({
        db,
        clock,
        log,
        worker: name,
        runner,
        intervals,
        announcements,
        everyMs,
      })
      onTestFinished(() => poll.stop())
      return poll
    },
  }
}

async function oneBatch({ inBatch }: Parameters<JobWork['run']>[0]): Promise<void> {
  await inBatch(async () => ({ done: 1 }))
}

/** A committed run that no message announces yet. */
export async function requestRun({ db }: TestQueue, job: JobName = 'decay'): Promise<string> {
  const id = randomUUID()
  await insertRun(db, { id, job, trigger: 'manual', now: clock.now() })
  return id
}

export function listRuns({ db }: TestQueue) {
  return db
    .selectFrom('maintenance_runs')
    .select(['id', 'status', 'attempts', 'trigger', 'done', 'worker'])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function hasEnded(test: TestQueue, count = 1): Promise<boolean> {
  const runs = await listRuns(test)
  return runs.length >= count && runs.every(({ status }) => status === 'succeeded')
}

/** The queue loses everything that it holds, as a Redis that is flushed. */
export async function emptyQueue({ settings }: TestQueue): Promise<void> {
  const { redisUrl, prefix, databaseUrl } = settings
  if (redisUrl === undefined) {
    await administer(databaseUrl, 'delete from bullmq.job')
    return
  }
  const redis = new Redis(redisUrl)
  const keys = await redis.keys(`${prefix}:*`)
  if (keys.length > 0) await redis.del(keys)
  redis.disconnect()
}

export async function listMessages({ settings }: TestQueue) {
  const queue = createQueue(settings)
  const messages = await queue.getJobs(['waiting', 'active', 'delayed', 'completed'])
  await queue.close()
  return messages.map(({ name, data, delay }) => ({ name, data, delay }))
}
