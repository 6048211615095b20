import type { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type { JobsOptions, Queue } from 'bullmq'
import type { Logger } from '../../kernel/log.ts'
import { type JobName, jobNames } from '../job-names.ts'
import type { JobMessage } from './job-message.ts'
import { createQueue, type QueueSettings } from './queue-backend.ts'
import { createFaultLog } from './queue-fault-log.ts'

export type JobQueue = ReturnType<typeof openQueue>

/** Creates what the queue needs in PostgreSQL. When several processes call it at once, one works and the others wait. */
export async function prepareQueue(settings: QueueSettings): Promise<void> {
  if (settings.redisUrl !== undefined) return
  const queue = createQueue(settings, { migrate: true })
  queue.on('error', () => {})
  try {
    await queue.waitUntilReady()
  } finally {
    await queue.close()
  }
}

export function openQueue(settings: QueueSettings, log: Logger) {
  const logFault = createFaultLog(log)
  const create = () => createQueue(settings).on('error', logFault)
  let queue = create()

  /** BullMQ tries to connect once and keeps a failure for ever, so a queue that failed is replaced by a new one. */
  async function getQueue() {
    const current = queue
    try {
      await current.waitUntilReady()
      return current
    } catch (error) {
      if (current === queue) {
        queue = create()
        void current.close().catch(logFault)
      }
      throw error
    }
  }

  let shown: { queue: ReturnType<typeof create>; board: BullMQAdapter } | undefined

  /** The queue as the board shows it. The board cannot change it. */
  async function show(): Promise<BullMQAdapter> {
    const queue = await getQueue()
    if (shown?.queue === queue) return shown.board
    const { BullMQAdapter } = await import('@bull-board/api/bullMQAdapter')
    shown = { queue, board: new BullMQAdapter(queue as Queue, { readOnlyMode: true, allowRetries: false }) }
    return shown.board
  }

  return {
    show,
    /** Resolves when the queue can be used. It waits for a Redis that is away. */
    ready: async (): Promise<void> => {
      await getQueue()
    },
    /** A message with the `jobId` of one that the queue still has, finished or not, is ignored. */
    enqueue: async (name: JobName, message: JobMessage, options: JobsOptions = {}): Promise<void> => {
      await (await getQueue()).add(name, message, options)
    },
    /** The number of messages in each state. */
    count: async (): Promise<Record<string, number>> => (await getQueue()).getJobCounts(),
    /** Earlier versions repeated ticks by BullMQ's schedulers, which would go on doing so. */
    removeSchedulers: async (): Promise<void> => {
      const queue = await getQueue()
      await Promise.all(jobNames.map((name) => queue.removeJobScheduler(name)))
    },
    close: () => queue.close(),
  }
}
