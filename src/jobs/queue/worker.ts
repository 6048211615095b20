import { setTimeout as sleep } from 'node:timers/promises'
import { WaitingError } from 'bullmq'
import type { Logger } from '../../kernel/log.ts'
import { type JobName, jobNames } from '../job-names.ts'
import type { JobHandler, JobReport } from './job-message.ts'
import { createWorker, type Process, type QueueSettings } from './queue-backend.ts'
import { createFaultLog } from './queue-fault-log.ts'

type WorkerOptions = { settings: QueueSettings; handle: JobHandler; log: Logger; concurrency?: number }

export type JobWorker = {
  /** False when a job did not end in time: its lock lapses and another worker continues it. */
  stop(milliseconds: number): Promise<boolean>
}

/** How long a finished job waits to be marked as such; a queue that is down would take for ever. */
const markFinishedMs = 2_000

/** Runs of one job never overlap, so with one slot for each job a long dream never delays a decay. */
const slots = jobNames.length

export async function startWorker(options: WorkerOptions): Promise<JobWorker> {
  const { settings, handle, log, concurrency = slots } = options
  const running = new Set<Promise<unknown>>()
  let isStopping = false
  const logFault = createFaultLog(log)
  const tools = { running, isStopping: () => isStopping, log, logFault }
  const worker = createWorker(settings, createProcess(handle, tools), concurrency)
  worker.on('error', logFault)
  // BullMQ waits for Redis, but tries PostgreSQL only once: its failure must end the start.
  if (settings.redisUrl === undefined) await worker.waitUntilReady()
  worker.run().catch(logFault)
  return {
    stop: async (milliseconds) => {
      isStopping = true
      worker.cancelAllJobs('the worker stops')
      const closed = worker.close().then(() => true)
      const finished = Promise.allSettled(running).then(() => sleep(markFinishedMs, true, { ref: false }))
      return Promise.race([closed, finished, sleep(milliseconds, false, { ref: false })])
    },
  }
}

type ProcessTools = {
  running: Set<Promise<unknown>>
  isStopping(): boolean
  log: Logger
  logFault: (error: Error) => void
}

/** BullMQ passes a signal only to a function of three parameters; one with a default value does not count. */
function createProcess(handle: JobHandler, { running, isStopping, log, logFault }: ProcessTools): Process {
  return async (job, token, signal) => {
    // A slot that waited for a message when the worker began to stop may still take one. It is for another worker.
    if (isStopping()) {
      await job.moveToWait(token)
      throw new WaitingError()
    }
    const startedAt = performance.now()
    const about = { job: job.name, job_id: job.id, reason: job.data.reason, attempt: job.attemptsStarted }
    const measureElapsed = () => ({ ms: Math.round(performance.now() - startedAt) })
    const showRun = (runId: string) => {
      if (job.data.run_id !== runId) job.updateData({ ...job.data, run_id: runId }).catch(logFault)
    }
    const handled = handleKnown(job.name, () =>
      handle(job.name, signal ?? new AbortController().signal, showRun, job.data),
    )
    running.add(handled)
    try {
      const report = await handled
      log.info('job done', { ...about, ...measureElapsed(), ...report })
      return report
    } catch (error) {
      log.error('job failed', { ...about, ...measureElapsed(), err: error })
      // The queue keeps what is thrown here, and an error of the database may quote a row.
      throw new Error(`${job.name} failed; the log of the worker says why`)
    } finally {
      running.delete(handled)
    }
  }
}

/** While a newer version runs beside this one, it may send names that this one does not know. */
async function handleKnown(name: JobName, handle: () => Promise<JobReport>): Promise<JobReport> {
  if (!jobNames.includes(name)) throw new Error('this version knows no job of that name')
  return handle()
}
