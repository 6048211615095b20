import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../kernel/log.ts'
import type { JobHandlers, JobName, JobReport } from './job-names.ts'
import { createWorker, type Process, type QueueSettings } from './queue-backend.ts'
import { createFaultLog } from './queue-fault-log.ts'

type WorkerOptions = { settings: QueueSettings; handlers: JobHandlers; log: Logger; concurrency?: number }

export type JobWorker = {
  /** False when a job did not end in time: its lock lapses and another worker takes it up. */
  stop(milliseconds: number): Promise<boolean>
}

/** A finished job is still to be marked as such; a queue that is away would have us wait for its return. */
const farewellMs = 2_000

export async function startWorker(options: WorkerOptions): Promise<JobWorker> {
  const { settings, handlers, log, concurrency = 2 } = options
  const inHand = new Set<Promise<unknown>>()
  const worker = createWorker(settings, createProcess(handlers, inHand, log), concurrency)
  const fault = createFaultLog(log)
  worker.on('error', fault)
  // A Redis that is away is waited for meanwhile; PostgreSQL is tried once, and never again when that fails.
  if (settings.redisUrl === undefined) await worker.waitUntilReady()
  worker.run().catch(fault)
  return {
    stop: async (milliseconds) => {
      worker.cancelAllJobs('the worker stops')
      const closed = worker.close().then(() => true)
      const finished = Promise.allSettled(inHand).then(() => sleep(farewellMs, true, { ref: false }))
      return Promise.race([closed, finished, sleep(milliseconds, false, { ref: false })])
    },
  }
}

/** BullMQ hands over a signal only to a function of three parameters, of which one with a default is none. */
function createProcess(handlers: JobHandlers, inHand: Set<Promise<unknown>>, log: Logger): Process {
  return async (job, _token, signal) => {
    const began = performance.now()
    const run = { job: job.name, job_id: job.id, attempt: job.attemptsStarted }
    const running = handle(handlers, job.name, job.data, signal ?? new AbortController().signal)
    inHand.add(running)
    try {
      const report = await running
      log.info('job done', { ...run, ms: Math.round(performance.now() - began), ...report })
      return report
    } catch (error) {
      log.error('job failed', { ...run, ms: Math.round(performance.now() - began), err: error })
      // What is thrown here is kept in the queue, and an error of the database may quote a row.
      throw new Error(`${job.name} failed; the log of the worker says why`)
    } finally {
      inHand.delete(running)
    }
  }
}

/** A name may be unknown for as long as an older and a newer version run side by side. */
async function handle<Name extends JobName>(
  handlers: JobHandlers,
  name: Name,
  payload: Parameters<JobHandlers[Name]>[0],
  signal: AbortSignal,
): Promise<JobReport> {
  if (!Object.hasOwn(handlers, name)) throw new Error('this version knows no job of that name')
  return handlers[name](payload, signal)
}
