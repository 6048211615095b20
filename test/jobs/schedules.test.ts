import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createQueue } from '../../src/jobs/queue-backend.ts'
import { ensureSchedules, watchSchedules } from '../../src/jobs/schedules.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { until } from '../support/processes.ts'
import { backends, openTestQueue, type TestQueue } from './queue-backends.ts'

const hour = 3_600_000

describe.each(backends)('schedules $name', ({ missing, redisUrl }) => {
  describe.skipIf(missing)('that are ensured', () => {
    let test: TestQueue
    beforeEach(async () => {
      test = await openTestQueue(redisUrl)
    })
    afterEach(() => test.close())

    const ensure = (purge: number, clock = systemClock) =>
      ensureSchedules({ db: test.db, queue: test.queue, clock, intervals: { purge } })

    it('run at once and then at every interval', async () => {
      let runs = 0
      await test.startWorker({ purge: async () => ({ nth: ++runs }) })
      expect(await ensure(100)).toEqual(['purge'])
      await until('the fourth run', () => runs >= 4)
    })

    it('leave the next run where it is when a process starts again', async () => {
      await ensure(hour)
      await test.startWorker({ purge: async () => ({}) })
      await until('the first run', () => test.lines.some((line) => line.includes('job done')))
      const before = await test.queue.findSchedule('purge')
      expect(await ensure(hour)).toEqual([])
      expect(await test.queue.findSchedule('purge')).toEqual(before)
      expect(before?.next).toBeGreaterThan(systemClock.now().getTime())
    })

    it('are added by one process of many that start together, and are one', async () => {
      const changes = await Promise.all([1, 2, 3, 4, 5].map(() => ensure(hour)))
      expect(changes.flat()).toEqual(['purge'])
      const queue = createQueue(test.settings)
      expect(await queue.getJobSchedulersCount()).toBe(1)
      expect(await queue.getJobCountByTypes('delayed', 'waiting', 'active')).toBe(1)
      await queue.close()
    })

    it('take on a new interval', async () => {
      await ensure(hour)
      expect(await ensure(2 * hour)).toEqual(['purge'])
      expect(await test.queue.findSchedule('purge')).toMatchObject({ every: 2 * hour })
      const queue = createQueue(test.settings)
      expect(await queue.getJobCountByTypes('delayed', 'waiting', 'active')).toBe(1)
      await queue.close()
    })

    it('end with an interval of 0', async () => {
      await ensure(hour)
      expect(await ensure(0)).toEqual(['purge'])
      expect(await ensure(0)).toEqual([])
      expect(await test.queue.findSchedule('purge')).toBeUndefined()
    })

    it('come to life again when they have stood still', async () => {
      await ensure(100)
      const queue = createQueue(test.settings)
      await queue.drain(true)
      let runs = 0
      await test.startWorker({ purge: async () => ({ nth: ++runs }) })
      const later = { now: () => new Date(systemClock.now().getTime() + 100_000) }
      expect(await ensure(100, later)).toEqual(['purge'])
      await until('two runs', () => runs >= 2)
      await queue.close()
    })

    it('come back by themselves when the queue has lost them', async () => {
      const log = createLogger({ level: 'silent', clock: systemClock, write: () => {} })
      const watch = watchSchedules({
        ...{ db: test.db, queue: test.queue, clock: systemClock, log },
        intervals: { purge: hour },
        everyMs: 50,
      })
      await until('the schedule', () => test.queue.findSchedule('purge'))
      await test.queue.unschedule('purge')
      await until('the schedule to be back', () => test.queue.findSchedule('purge'))
      await watch.stop()
    })
  })
})
