import { setTimeout as sleep } from 'node:timers/promises'
import type { JobsOptions } from 'bullmq'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import { dayMs } from '../../kernel/units.ts'
import type { JobName } from '../job-names.ts'
import type { JobMessage } from './job-message.ts'
import type { JobQueue } from './queue.ts'
import { createFaultLog } from './queue-fault-log.ts'

type Resources = { queue: Pick<JobQueue, 'enqueue'>; clock: Clock; log: Logger }

export type Announcements = {
  announceRun(job: JobName, runId: string): Promise<boolean>
  announceFollowUp(job: JobName): Promise<boolean>
  announceTick(job: JobName, dueAt: Date): Promise<boolean>
  /** Says that a tenant may have new texts without a vector. */
  announceWrites(): Promise<boolean>
  /** Returns the announcements for what is committed in the schema of a tenant; undefined is for what belongs to none. */
  ofTenant(reference: string | undefined): Announcements
  finish(): Promise<unknown>
}

/** A queue that does not answer within this time counts as down; the message may still arrive later. */
const maxWaitMs = 1_000
/** A Redis that is away would otherwise collect a message every few seconds for as long as it is away. */
const maxPending = 100
/** A schedule may change before a tick that is further ahead; the poll announces it when it comes nearer. */
const farthestTickMs = dayMs

/**
 * Sends messages to the workers about what is committed in PostgreSQL. A message only saves time, because the poll finds
 * what the queue loses. So no function throws, and each returns whether the queue has taken the message.
 */
export function createAnnouncements({ queue, clock, log }: Resources): Announcements {
  const logFault = createFaultLog(log)
  const pending = new Set<Promise<boolean>>()

  async function announce(job: JobName, message: JobMessage, options?: JobsOptions): Promise<boolean> {
    if (pending.size >= maxPending) return false
    const enqueued = queue
      .enqueue(job, message, options)
      .then(() => true)
      .catch((error: Error) => {
        logFault(error)
        return false
      })
      .finally(() => pending.delete(enqueued))
    pending.add(enqueued)
    return Promise.race([enqueued, sleep(maxWaitMs, false, { ref: false })])
  }

  function announceFor(tenant: string | undefined): Announcements {
    const of = tenant === undefined ? {} : { tenant }
    return {
      announceRun: (job, runId) =>
        announce(job, { ...of, reason: 'request', run_id: runId }, { jobId: runId }),

      /** Without an id of its own: each run may be followed by another. */
      announceFollowUp: (job) => announce(job, { ...of, reason: 'follow_up' }),

      /** Every worker announces every tick, and the id makes it one message. Ticks of tenants are not announced: they would be thousands. */
      announceTick: async (job, dueAt) => {
        const delay = Math.max(0, dueAt.getTime() - clock.now().getTime())
        if (delay > farthestTickMs || tenant !== undefined) return false
        return announce(job, { reason: 'tick' }, { jobId: `tick-${job}-${dueAt.getTime()}`, delay })
      },

      announceWrites: () => announce('embed', { ...of, reason: 'writes' }),

      ofTenant: announceFor,

      /** Waits for what is on its way, but not for a queue that is down. */
      finish: () => Promise.race([Promise.allSettled(pending), sleep(maxWaitMs, undefined, { ref: false })]),
    }
  }

  return announceFor(undefined)
}
