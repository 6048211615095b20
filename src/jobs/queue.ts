import type { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type { Queue } from 'bullmq'
import type { Logger } from '../kernel/log.ts'
import type { JobName, Jobs } from './job-names.ts'
import { createQueue, jobOptions, type QueueSettings } from './queue-backend.ts'
import { createFaultLog } from './queue-fault-log.ts'

export type JobQueue = ReturnType<typeof openQueue>

/** Creates what the queue needs in PostgreSQL; raced by many, one does the work and the others wait for it. */
export async function prepareQueue(settings: QueueSettings): Promise<void> {
  if (settings.redisUrl !== undefined) return
  const queue = createQueue(settings, true)
  queue.on('error', () => {})
  try {
    await queue.waitUntilReady()
  } finally {
    await queue.close()
  }
}

export function openQueue(settings: QueueSettings, log: Logger) {
  const fault = createFaultLog(log)
  const create = () => createQueue(settings).on('error', fault)
  let queue = create()

  /** BullMQ tries to connect once and remembers a failure for ever, so what failed is replaced by a new one. */
  async function usable() {
    const tried = queue
    try {
      await tried.waitUntilReady()
      return tried
    } catch (error) {
      if (tried === queue) {
        queue = create()
        void tried.close().catch(fault)
      }
      throw error
    }
  }

  let shown: { queue: ReturnType<typeof create>; board: BullMQAdapter } | undefined

  /** For a page that shows what waits; nothing can be done to it there. */
  async function show(): Promise<BullMQAdapter> {
    const queue = await usable()
    if (shown?.queue === queue) return shown.board
    const { BullMQAdapter } = await import('@bull-board/api/bullMQAdapter')
    shown = { queue, board: new BullMQAdapter(queue as Queue, { readOnlyMode: true, allowRetries: false }) }
    return shown.board
  }

  return {
    show,
    /** Resolves when it can be used: a Redis that is away is waited for. */
    ready: async (): Promise<void> => {
      await usable()
    },
    enqueue: async <Name extends JobName>(name: Name, payload: Jobs[Name]): Promise<void> => {
      await (await usable()).add(name, payload)
    },
    /** How many messages there are in each state. */
    count: async (): Promise<Record<string, number>> => (await usable()).getJobCounts(),
    findSchedule: async (name: JobName) => (await usable()).getJobScheduler(name),
    /** Puts what is scheduled already into order and leaves its next run where it is. */
    schedule: async (name: JobName, every: number): Promise<void> => {
      await (await usable()).upsertJobScheduler(name, { every }, { name, opts: jobOptions })
    },
    unschedule: async (name: JobName): Promise<void> => {
      await (await usable()).removeJobScheduler(name)
    },
    close: () => queue.close(),
  }
}
