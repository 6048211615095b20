import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type JobName, jobNames } from '../../src/jobs/job-names.ts'
import type { JobWork } from '../../src/jobs/runs.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createHandlers, createRunner, watchJobs } from '../../src/maintenance/index.ts'
import { insertRun } from '../../src/maintenance/maintenance.queries.ts'
import { noIntervals } from '../support/idle-jobs.ts'
import { administer } from '../support/postgres-processes.ts'
import { until } from '../support/processes.ts'
import { backends, openTestQueue, type TestQueue } from './queue-backends.ts'

const clock = systemClock
const ids = createIds(clock)
const log = createLogger({ level: 'silent', clock, write: () => {} })
const off = noIntervals

let test: TestQueue
afterEach(() => test.close())

function hire(worker: string, intervals = off) {
  let ran = 0
  const work: JobWork = {
    run: async ({ inBatch }) => {
      await inBatch(async () => ({ done: 1 }))
      ran++
    },
  }
  const works = Object.fromEntries(jobNames.map((name) => [name, work])) as Record<JobName, JobWork>
  const runner = createRunner({ db: test.db, clock, ids, log, worker, works, intervals })
  const watch = (everyMs: number) =>
    watchJobs({ db: test.db, clock, log, worker, runner, intervals, everyMs })
  return { runner, watch, countRuns: () => ran }
}

async function ask(): Promise<string> {
  const id = randomUUID()
  await insertRun(test.db, { id, job: 'decay', trigger: 'manual', now: clock.now() })
  return id
}

const readRuns = () =>
  test.db.selectFrom('maintenance_runs').select(['status', 'attempts', 'trigger', 'done']).execute()
const allEnded = async () => {
  const runs = await readRuns()
  return runs.length > 0 && runs.every(({ status }) => status === 'succeeded')
}

describe.each(backends)('a run of which the queue $name tells', ({ missing, redisUrl }) => {
  describe.skipIf(missing)('two workers', () => {
    beforeEach(async () => {
      test = await openTestQueue(redisUrl)
    })

    it('is done once, however often the message comes', async () => {
      const workers = ['one', 'two'].map((name) => hire(name))
      for (const { runner } of workers) await test.startWorker(createHandlers(runner))
      await ask()
      for (let message = 0; message < 10; message++) await test.queue.enqueue('decay', {})
      await until('the run to end', allEnded)
      await until('every message to be heard', () => doneIn(test) === 10)
      expect(await readRuns()).toEqual([{ status: 'succeeded', attempts: 1, trigger: 'manual', done: 1 }])
      expect(workers.reduce((sum, { countRuns }) => sum + countRuns(), 0)).toBe(1)
    })

    it('is nothing when there is none', async () => {
      await test.startWorker(createHandlers(hire('one').runner))
      await test.queue.enqueue('decay', {})
      await until('the message to be heard', () => doneIn(test) === 1)
      expect(await readRuns()).toEqual([])
    })
  })
})

describe('a run of which no message tells', () => {
  beforeEach(async () => {
    test = await openTestQueue(undefined)
  })

  it('is found by a worker that looks', async () => {
    const watch = hire('one').watch(20)
    await ask()
    await until('the run to end', allEnded)
    await watch.stop()
  })

  it('is made when a schedule has stood still, by one of those who look', async () => {
    const workers = ['one', 'two', 'three'].map((name) => hire(name, { ...off, decay: 3_600_000 }))
    const watches = workers.map(({ watch }) => watch(20))
    await until('the run to end', allEnded)
    await Promise.all(watches.map((watch) => watch.stop()))
    expect(await readRuns()).toEqual([{ status: 'succeeded', attempts: 1, trigger: 'schedule', done: 1 }])
    const [schedule] = await test.db
      .selectFrom('job_schedules')
      .where('job', '=', 'decay')
      .select(['last_success_at', 'next_at'])
      .execute()
    expect(schedule?.last_success_at).toBeInstanceOf(Date)
    expect(schedule?.next_at.getTime()).toBeGreaterThan(clock.now().getTime() + 3_500_000)
  })

  it('goes on being looked for after the database has ended the sessions', async () => {
    const watch = hire('one').watch(20)
    await administer(
      test.settings.databaseUrl,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await until('the run to be asked for', () =>
      ask().then(
        () => true,
        () => false,
      ),
    )
    await until('the run to end', allEnded)
    await watch.stop()
  })
})

function doneIn({ lines }: TestQueue): number {
  return lines.filter((line) => line.includes('"job done"')).length
}
