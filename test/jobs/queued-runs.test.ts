import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type JobName, jobNames } from '../../src/jobs/job-names.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { startDueJobsPoll } from '../../src/maintenance/index.ts'
import { cancelRun } from '../../src/maintenance/maintenance.queries.ts'
import { ensureJobRows } from '../../src/maintenance/running/leases.queries.ts'
import { until } from '../support/processes/processes.ts'
import { administer } from '../support/servers/postgres-processes.ts'
import { noIntervals } from '../support/workers/idle-jobs.ts'
import {
  createTestWorker,
  emptyQueue,
  hasEnded,
  listMessages,
  listRuns,
  rarely,
  requestRun,
} from './job-workers.ts'
import { backends, openTestQueue, type TestQueue } from './queue-backends.ts'

let test: TestQueue
afterEach(() => test.close())

describe.each(backends)('a run that the queue $name announces', ({ missing, redisUrl }) => {
  describe.skipIf(missing)('to workers whose poll is stretched to an hour', () => {
    beforeEach(async () => {
      test = await openTestQueue(redisUrl)
    })

    it('starts by its message', async () => {
      const worker = createTestWorker(test, 'one')
      worker.poll(rarely)
      await worker.work()
      // The first look of the poll is over when the second run is requested.
      for (let nth = 1; nth <= 2; nth++) {
        expect(await test.announcements.announceRun('decay', await requestRun(test))).toBe(true)
        await until('the run to end', () => hasEnded(test, nth))
      }
      expect(worker.countRuns()).toBe(2)
    })

    it('is done once, however often the message comes', async () => {
      const workers = ['one', 'two'].map((name) => createTestWorker(test, name))
      for (const worker of workers) await worker.work()
      await requestRun(test)
      for (let nth = 0; nth < 10; nth++) await test.queue.enqueue('decay', { reason: 'tick' })
      await until('the run to end', () => hasEnded(test))
      await until('every message to be handled', () => doneIn(test) === 10)
      expect(await listRuns(test)).toMatchObject([
        { status: 'succeeded', attempts: 1, trigger: 'manual', done: 1 },
      ])
      expect(workers.reduce((sum, { countRuns }) => sum + countRuns(), 0)).toBe(1)
    })

    it('is one message, however often it is announced', async () => {
      const id = await requestRun(test)
      for (let nth = 0; nth < 3; nth++) await test.announcements.announceRun('decay', id)
      expect(await listMessages(test)).toMatchObject([
        { name: 'decay', data: { reason: 'request', run_id: id } },
      ])
    })

    it('that is not there leads to nothing', async () => {
      await createTestWorker(test, 'one').work()
      await test.queue.enqueue('decay', { reason: 'request', run_id: 'gone' })
      await until('the message to be handled', () => doneIn(test) === 1)
      expect(await listRuns(test)).toEqual([])
    })

    it('and that was cancelled meanwhile does not start', async () => {
      const id = await requestRun(test)
      await cancelRun(test.db, id, systemClock.now())
      const worker = createTestWorker(test, 'one')
      await test.announcements.announceRun('decay', id)
      await worker.work()
      await until('the message to be handled', () => doneIn(test) === 1)
      expect(worker.countRuns()).toBe(0)
      expect(await listRuns(test)).toMatchObject([{ status: 'cancelled' }])
    })

    it('is followed by the next run of the job, each with a message that names it', async () => {
      const requested: string[] = []
      for (let nth = 0; nth < 3; nth++) requested.push(await requestRun(test))
      await createTestWorker(test, 'one').work()
      await test.announcements.announceRun('decay', requested[0] ?? '')
      await until('all runs to end', () => hasEnded(test, 3))
      const messages = await until('all messages to name a run', async () => {
        const found = await listMessages(test)
        return found.length === 3 && found.every(({ data }) => data.run_id) ? found : undefined
      })
      expect(messages.map(({ data }) => data.reason).sort()).toEqual(['follow_up', 'follow_up', 'request'])
      expect(messages.map(({ data }) => data.run_id).sort()).toEqual(requested.sort())
    })

    it('of each job starts, however long a run of another job takes', async () => {
      const opened = Promise.withResolvers<void>()
      const worker = createTestWorker(test, 'one', {
        run: ({ run }) => (run.id === slow ? opened.promise : Promise.resolve()),
      })
      const slow = await requestRun(test, 'dream')
      await worker.work()
      await test.announcements.announceRun('dream', slow)
      const quick = await requestRun(test, 'decay')
      await test.announcements.announceRun('decay', quick)
      const statusOf = async (id: string) => (await listRuns(test)).find((run) => run.id === id)?.status
      await until('the quick run to end', async () => (await statusOf(quick)) === 'succeeded')
      await until('the slow run to be running', async () => (await statusOf(slow)) === 'running')
      opened.resolve()
      await until('the slow run to end', () => hasEnded(test, 2))
    })

    it('goes on at another worker when the first one stops', async () => {
      const reached = Promise.withResolvers<void>()
      const first = createTestWorker(test, 'first', {
        run: async ({ throwIfEnded }) => {
          reached.resolve()
          for (;;) await throwIfEnded()
        },
      })
      const firstWorker = await first.work()
      await test.announcements.announceRun('decay', await requestRun(test))
      await reached.promise
      await createTestWorker(test, 'second').work()
      expect(await firstWorker.stop(5_000)).toBe(true)
      await until('the run to end', () => hasEnded(test))
      expect(await listRuns(test)).toMatchObject([{ worker: 'second', attempts: 1 }])
    })
  })

  describe.skipIf(missing)('and then loses', () => {
    it('is found by the poll', async () => {
      test = await openTestQueue(redisUrl)
      await test.announcements.announceRun('decay', await requestRun(test))
      await emptyQueue(test)
      expect(await listMessages(test)).toEqual([])
      const worker = createTestWorker(test, 'one')
      await worker.work()
      worker.poll(20)
      await until('the run to end', () => hasEnded(test))
    })
  })
})

describe('a run that no message announces', () => {
  beforeEach(async () => {
    test = await openTestQueue(undefined)
  })

  it('is found by the poll', async () => {
    createTestWorker(test, 'one').poll(20)
    await requestRun(test)
    await until('the run to end', () => hasEnded(test))
  })

  it('is inserted when a schedule is due, by one of several polls', async () => {
    const intervals = { ...noIntervals, decay: 3_600_000 }
    for (const name of ['one', 'two', 'three']) createTestWorker(test, name, { intervals }).poll(20)
    await until('the run to end', () => hasEnded(test))
    expect(await listRuns(test)).toMatchObject([
      { status: 'succeeded', attempts: 1, trigger: 'schedule', done: 1 },
    ])
    const [schedule] = await test.db
      .selectFrom('job_schedules')
      .where('job', '=', 'decay')
      .select(['last_success_at', 'next_at'])
      .execute()
    expect(schedule?.last_success_at).toBeInstanceOf(Date)
    expect(schedule?.next_at.getTime()).toBeGreaterThan(systemClock.now().getTime() + 3_500_000)
  })

  it('is continued when the lease of its worker lapses, before the next usual poll', async () => {
    const id = await requestRun(test)
    const lapsesAt = new Date(systemClock.now().getTime() + 600)
    await ensureJobRows(test.db, ['decay'], systemClock.now())
    await test.db
      .updateTable('job_leases')
      .set({ holder: 'killed', run_id: id, fence: 1, expires_at: lapsesAt })
      .where('job', '=', 'decay')
      .execute()
    await test.db.updateTable('maintenance_runs').set({ status: 'running', attempts: 1 }).execute()
    createTestWorker(test, 'second').poll(rarely)
    await until('the run to end', () => hasEnded(test))
    expect(await listRuns(test)).toMatchObject([{ worker: 'second', attempts: 2 }])
  })

  it('is continued soon when the lease lapses while the poll looks', async () => {
    const lapse = systemClock.now().getTime()
    let now = new Date(lapse - 1)
    await ensureJobRows(test.db, jobNames, now)
    await test.db
      .updateTable('job_schedules')
      .set({ next_at: new Date(lapse + 1) })
      .execute()
    const id = await requestRun(test)
    const lease = { holder: 'killed', run_id: id, fence: 1, expires_at: new Date(lapse) }
    await test.db.updateTable('job_leases').set(lease).where('job', '=', 'decay').execute()
    const found: JobName[] = []
    const poll = startDueJobsPoll({
      db: test.db,
      clock: { now: () => now },
      log: createLogger({ level: 'silent', clock: systemClock, write: () => {} }),
      worker: 'second',
      runner: { runJob: async (name) => found.push(name) },
      intervals: { ...noIntervals, decay: 60_000 },
      // The poll announces after it has read the leases.
      announcements: {
        announceTick: async () => {
          now = new Date(lapse)
          return true
        },
      },
      everyMs: rarely,
    })
    onTestFinished(() => poll.stop())
    await until('the run to be found', () => found.includes('decay'))
  })

  it('is found after the database has ended the sessions', async () => {
    createTestWorker(test, 'one').poll(20)
    await administer(
      test.settings.databaseUrl,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await until('the run to be requested', () =>
      requestRun(test).then(
        () => true,
        () => false,
      ),
    )
    await until('the run to end', () => hasEnded(test))
  })
})

function doneIn({ lines }: TestQueue): number {
  return lines.filter((line) => line.includes('"job done"')).length
}
