import type { Database } from '../../db/connection.ts'
import { transact } from '../../db/transaction.ts'
import { type Poll, startPoll } from '../../jobs/poll.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import { ModelFailure } from '../../llm/model-failure.ts'
import type { createModelRegistration } from '../embedding-models.service.ts'
import type { createEmbeddingPass } from './embedding-pass.service.ts'
import { findWork } from './embedding-queue.queries.ts'

type Resources = {
  db: Database
  clock: Clock
  log: Logger
  registration: ReturnType<typeof createModelRegistration>
  embedding: ReturnType<typeof createEmbeddingPass>
}

const everyMs = 1_000
const firstPauseMs = 2_000
const longestPauseMs = 300_000

/**
 * Embeds new texts soon after they are written, and texts that arrive together in one batch. It checks the queue
 * every second, which costs one index probe when the queue is empty. This is not a run of the job, because a run for
 * each check would fill the list of runs. When the model fails, it is asked less and less often.
 */
export function pollEmbeddingQueue({ db, clock, log, registration, embedding }: Resources): Poll {
  let outages = 0
  let resumeAt = 0

  async function look(signal: AbortSignal): Promise<void> {
    if (performance.now() < resumeAt) return
    const model = await registration.findOwnModel(signal)
    if (!model) return
    const { is_due, is_changing } = await findWork(db, clock.now())
    if (!is_due && !is_changing) return
    const outage = await embedding.processQueue({
      model,
      scope: null,
      signal,
      inBatch: (work) => transact(db, {}, work),
    })
    if (outage) throw outage
    outages = 0
  }

  function pause(failure: ModelFailure): void {
    const { retryAfterMs = 0, reason } = failure
    if (reason === 'aborted') return
    if (reason === 'invalid_answer') registration.forget()
    const pauseMs = Math.min(
      longestPauseMs,
      Math.max(retryAfterMs, firstPauseMs * 2 ** Math.min(outages, 10)),
    )
    resumeAt = performance.now() + pauseMs
    outages++
    log.warn('texts wait for their vectors', { err: failure, pause_ms: pauseMs })
  }

  return startPoll({
    everyMs,
    look,
    onError: (error) => {
      if (error instanceof ModelFailure) pause(error)
      else log.warn('the embedding queue could not be processed', { err: error })
    },
  })
}
