import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../kernel/log.ts'
import { createWorker, type Process, type QueueSettings } from './backend.ts'
import type { JobHandlers, JobName, JobReport } from './define.ts'
import { createFaultLog } from './faults.ts'

type WorkerOptions = { settings: QueueSettings; handlers: JobHandlers; log: Logger; concurrency?: number }

export type JobWorker = {
  /** False when a job did not end in time: its lock lapses and another worker takes it up. */
  stop(milliseconds: number): Promise<boolean>
}

export async function startWorker(options: WorkerOptions): Promise<JobWorker> {
  const { settings, handlers, log, concurrency = 2 } = options
  const worker = createWorker(settings, createProcess(handlers, log), concurrency)
  const fault = createFaultLog(log)
  worker.on('error', fault)
  await worker.waitUntilReady()
  worker.run().catch(fault)
  return {
    stop: async (milliseconds) => {
      worker.cancelAllJobs('the worker stops')
      const patience = new AbortController()
      const late = sleep(milliseconds, false, { signal: patience.signal }).catch(() => false)
      const ended = await Promise.race([worker.close().then(() => true), late])
      patience.abort()
      return ended
    },
  }
}

/** BullMQ hands over a signal only to a function of three parameters, of which one with a default is none. */
function createProcess(handlers: JobHandlers, log: Logger): Process {
  return async (job, _token, signal) => {
    const began = performance.now()
    const run = { job: job.name, job_id: job.id, attempt: job.attemptsStarted }
    try {
      const report = await handle(handlers, job.name, job.data, signal ?? new AbortController().signal)
      log.info('job done', { ...run, ms: Math.round(performance.now() - began), ...report })
      return report
    } catch (error) {
      log.error('job failed', { ...run, ms: Math.round(performance.now() - began), err: error })
      // What is thrown here is kept in the queue, and an error of the database may quote a row.
      throw new Error(`${job.name} failed; the log of the worker says why`)
    }
  }
}

/** A name may be unknown for as long as an older and a newer version run side by side. */
function handle<Name extends JobName>(
  handlers: JobHandlers,
  name: Name,
  payload: Parameters<JobHandlers[Name]>[0],
  signal: AbortSignal,
): Promise<JobReport> {
  if (!Object.hasOwn(handlers, name)) throw new Error('this version knows no job of that name')
  return handlers[name](payload, signal)
}
