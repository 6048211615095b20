import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CallContext } from '../db/transaction.ts'
import type { Once } from '../http/idempotency/idempotency.ts'
import type { JobName } from '../jobs/job-names.ts'
import type { Announcements } from '../jobs/queue/announcements.ts'

export type QueueingOptions = {
  once: Once
  /** Without them, a worker finds a new run by its poll. */
  announcements?: Pick<Announcements, 'announceRun'> | undefined
}

type Queueing = {
  /** The path of the list of all runs, or plans. */
  path: string
  /** Creates the run or the plan. */
  queue: (call: CallContext) => Promise<{ id: string; job: string }>
}

/** Answers with the run, or the plan, that `queue` creates, and announces it. */
export async function answerQueued(
  { once, announcements }: QueueingOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { path, queue }: Queueing,
): Promise<void> {
  let queued: { id: string; job: string } | undefined
  await once(request, reply, async (call) => {
    queued = await queue(call)
    return { status: 202, body: queued, headers: { location: `${path}/${queued.id}` } }
  })
  // After the commit, because a worker that hears of the run earlier does not find it. Not awaited, because a queue that
  // is down must not delay the answer.
  if (queued) void announcements?.announceRun(queued.job as JobName, queued.id)
}
