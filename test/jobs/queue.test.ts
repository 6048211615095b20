import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JobName } from '../../src/jobs/job-names.ts'
import { createQueue } from '../../src/jobs/queue/queue-backend.ts'
import { isLongRun } from '../support/long-run.ts'
import { until } from '../support/processes/processes.ts'
import { backends, openTestQueue, type TestQueue } from './queue-backends.ts'

/** By then a free slot of a worker that just took a message waits for the next one. */
const slotWaitsAfterMs = 50
/** A message whose end could not be written runs again: BullMQ looks for one every 30 s, once its lock of 30 s has lapsed. */
const runsAgainAfterMs = 60_000
/** How often a worker stops while a message comes. */
const rounds = isLongRun ? 10 : 3

describe.each(backends)('the queue $name', ({ missing, redisUrl }) => {
  describe.skipIf(missing)('delivers jobs that', () => {
    let test: TestQueue
    beforeEach(async () => {
      test = await openTestQueue(redisUrl)
    })
    afterEach(() => test.close())

    it('run once each with several workers', async () => {
      const runs: number[] = []
      const purge = async () => ({ nth: runs.push(1) })
      await test.startWorker({ purge })
      await test.startWorker({ purge })
      for (let nth = 0; nth < 12; nth++) await test.queue.enqueue('purge', { reason: 'tick' })
      await until('all to be done', () => doneIn(test).length === 12)
      expect(runs).toHaveLength(12)
    })

    it('were queued before a worker started', async () => {
      await test.queue.enqueue('purge', { reason: 'tick' })
      let ran = false
      await test.startWorker({
        purge: async () => {
          ran = true
          return {}
        },
      })
      await until('the job to run', () => ran)
    })

    it('write their counts to the log', async () => {
      await test.startWorker({ purge: async () => ({ answers: 3 }) })
      await test.queue.enqueue('purge', { reason: 'tick' })
      await until('the job to be done', () => doneIn(test).length === 1)
      expect(doneIn(test)[0]).toMatchObject({ level: 'info', job: 'purge', attempt: 1, answers: 3 })
    })

    it('are retried after a failure, whose message the queue does not store', async () => {
      let attempts = 0
      await test.startWorker({
        purge: async () => {
          attempts++
          if (attempts === 1) throw new Error('the memory of my grandmother')
          return {}
        },
      })
      await test.queue.enqueue('purge', { reason: 'tick' })
      const queue = createQueue(test.settings)
      const job = await until('the job to be done', async () => (await queue.getCompleted())[0])
      expect(attempts).toBe(2)
      expect(job.stacktrace?.join('\n')).toContain('purge failed')
      expect(JSON.stringify(job)).not.toContain('grandmother')
      await queue.close()
    })

    it('fail when this version does not know them, without affecting others', async () => {
      await test.startWorker({ purge: async () => ({}) })
      await test.queue.enqueue('from the next version' as JobName, { reason: 'tick' })
      await test.queue.enqueue('purge', { reason: 'tick' })
      await until('the known one to be done', () => doneIn(test).length === 1)
      const failed = test.lines.filter((line) => line.includes('job failed'))
      expect(failed[0]).toContain('from the next version')
    })

    it('are removed from the history after many others', async () => {
      await test.startWorker({ purge: async () => ({}) }, 8)
      for (let nth = 0; nth < 230; nth++) await test.queue.enqueue('purge', { reason: 'tick' })
      await untilDone(test, 230)
      const queue = createQueue(test.settings)
      // Jobs that end together may each keep one more.
      await until('the first to be gone', async () => (await queue.getCompletedCount()) <= 208)
      await queue.close()
    })

    it('finish their batch when the worker stops, and do not run again', async () => {
      const began = Promise.withResolvers<void>()
      let signalled = 0
      const worker = await test.startWorker({
        purge: async (signal) => {
          began.resolve()
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          signalled++
          return { batches: 1 }
        },
      })
      await test.queue.enqueue('purge', { reason: 'tick' })
      await began.promise
      expect(await worker.stop(5_000)).toBe(true)
      expect(signalled).toBe(1)
      const queue = createQueue(test.settings)
      expect(await queue.getJobCounts()).toMatchObject({ completed: 1, active: 0, waiting: 0, delayed: 0 })
      await queue.close()
    })

    it('go to another worker when they come while one stops', async () => {
      let begunByOthers = 0
      for (let nth = 1; nth <= rounds; nth++) {
        const began = Promise.withResolvers<void>()
        let begun = 0
        const worker = await test.startWorker({
          purge: async (signal) => {
            begun++
            began.resolve()
            await new Promise((resolve) => signal.addEventListener('abort', resolve))
            await test.queue.enqueue('decay', { reason: 'follow_up' })
            return {}
          },
          decay: async () => ({ runs: ++begun }),
        })
        await test.queue.enqueue('purge', { reason: 'tick' })
        await began.promise
        await sleep(slotWaitsAfterMs)
        expect(await worker.stop(5_000)).toBe(true)
        expect(begun).toBe(1)
        const other = await test.startWorker({ decay: async () => ({ runs: ++begunByOthers }) })
        await until('the other worker to take the message', () => begunByOthers === nth)
        expect(await other.stop(5_000)).toBe(true)
      }
      expect(await test.queue.count()).toMatchObject({
        completed: 2 * rounds,
        active: 0,
        waiting: 0,
        delayed: 0,
      })
    })

    it('delay the end of a worker up to its deadline', async () => {
      const began = Promise.withResolvers<void>()
      const end = Promise.withResolvers<void>()
      const worker = await test.startWorker({
        purge: async () => {
          began.resolve()
          await end.promise
          return {}
        },
      })
      await test.queue.enqueue('purge', { reason: 'tick' })
      await began.promise
      const start = performance.now()
      expect(await worker.stop(200)).toBe(false)
      expect(performance.now() - start).toBeLessThan(2_000)
      end.resolve()
    })
  })
})

/** A message may run twice, so the runs are no measure. */
async function untilDone(test: TestQueue, count: number) {
  const ids = () => new Set(doneIn(test).map((line) => line['job_id']))
  await until('all to be done', () => ids().size === count, runsAgainAfterMs + 20_000).catch((error) => {
    const faults = test.lines.filter((line) => !line.includes('"job done"'))
    throw new Error(`${error.message}: ${ids().size} are, and the log says ${faults.slice(-5).join('\n')}`)
  })
}

function doneIn({ lines }: TestQueue): Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'job done')
}
