import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createQueue } from '../../src/jobs/queue/queue-backend.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { until } from '../support/processes/processes.ts'
import { noIntervals } from '../support/workers/idle-jobs.ts'
import { createTestWorker, emptyQueue, listMessages, listRuns, rarely } from './job-workers.ts'
import { backends, openTestQueue, type TestQueue } from './queue-backends.ts'

const hour = 3_600_000
const day = 24 * hour

describe.each(backends)('the ticks of a schedule $name', ({ missing, redisUrl }) => {
  describe.skipIf(missing)('of workers', () => {
    let test: TestQueue
    beforeEach(async () => {
      test = await openTestQueue(redisUrl)
    })
    afterEach(() => test.close())

    it('start a run at each interval while the poll is stretched to an hour', async () => {
      const worker = createTestWorker(test, 'one', { intervals: { ...noIntervals, purge: 100 } })
      await worker.work()
      worker.poll(rarely)
      await until('the fourth run', () => worker.countRuns() >= 4)
      expect((await listRuns(test)).every(({ trigger }) => trigger === 'schedule')).toBe(true)
      expect(test.lines.some((line) => line.includes('"reason":"tick"'))).toBe(true)
    })

    it('are one message, however many workers announce them', async () => {
      const intervals = { ...noIntervals, purge: hour }
      for (const name of ['one', 'two', 'three']) createTestWorker(test, name, { intervals }).poll(20)
      await until('the first run', async () => (await listRuns(test)).length === 1)
      const [tick, ...others] = await until('the tick', async () => {
        const found = await listMessages(test)
        return found.length > 0 ? found : undefined
      })
      expect(others).toEqual([])
      expect(tick).toMatchObject({ name: 'purge', data: { reason: 'tick' } })
      expect(tick?.delay).toBeGreaterThan(hour - 60_000)
      expect(tick?.delay).toBeLessThanOrEqual(hour)
    })

    it('are announced again when the queue has lost them', async () => {
      createTestWorker(test, 'one', { intervals: { ...noIntervals, purge: hour } }).poll(20)
      const announced = async () => (await listMessages(test)).length === 1
      await until('the tick', announced)
      await emptyQueue(test)
      await until('the tick to be back', announced)
    })

    it('are not announced more than a day ahead', async () => {
      const inDays = (days: number) => new Date(systemClock.now().getTime() + days * day)
      expect(await test.announcements.announceTick('purge', inDays(2))).toBe(false)
      expect(await test.announcements.announceTick('purge', inDays(0.5))).toBe(true)
      expect(await listMessages(test)).toHaveLength(1)
    })

    it('end for a schedule that is switched off, although one is still in the queue', async () => {
      const worker = createTestWorker(test, 'one', { intervals: { ...noIntervals, purge: hour } })
      worker.poll(rarely)
      await until('the first run', () => worker.countRuns() === 1)
      await test.db.updateTable('job_schedules').set({ enabled: false, next_at: systemClock.now() }).execute()
      await worker.work()
      await test.queue.enqueue('purge', { reason: 'tick' })
      await until('the tick to be handled', () => test.lines.some((line) => line.includes('"job done"')))
      expect(worker.countRuns()).toBe(1)
    })

    it('replace the schedulers that an earlier version left in the queue', async () => {
      const queue = createQueue(test.settings)
      await queue.upsertJobScheduler('purge', { every: hour }, { name: 'purge' })
      await test.queue.removeSchedulers()
      expect(await queue.getJobSchedulersCount()).toBe(0)
      await queue.close()
    })
  })
})
