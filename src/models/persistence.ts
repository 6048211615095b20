import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'
import { describeFailure } from './client.ts'
import { ModelFailure } from './failure.ts'

export type Patience = {
  /** Of one request, until its last byte. */
  timeoutMs: number
  /** Requests after the first. */
  retries?: number
  /** Of all of them and the waits between. */
  deadlineMs?: number
  signal?: AbortSignal
}

const firstPauseMs = 500
const longestPauseMs = 30_000

/** Asks until there is an answer, as long as it may come and somebody waits for it. */
export async function persist<T>(
  clock: Clock,
  { timeoutMs, retries = 0, deadlineMs = Number.POSITIVE_INFINITY, signal }: Patience,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const started = performance.now()
  const left = () => deadlineMs - (performance.now() - started)
  for (let attempt = 0; ; attempt++) {
    const failure = await attemptOnce(clock, Math.min(timeoutMs, left()), signal, ask)
    if (!(failure instanceof ModelFailure)) return failure.answer
    const pause = failure.retryAfterMs ?? Math.min(firstPauseMs * 2 ** attempt, longestPauseMs)
    if (!failure.isPassing || attempt >= retries || pause >= left() || pause > longestPauseMs) throw failure
    // Jitter, so that those who were refused together do not come back together.
    await sleep(pause * (1 + 0.2 * jitter()), undefined, signal ? { signal } : {}).catch(() => {
      throw new ModelFailure('aborted')
    })
  }
}

async function attemptOnce<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<{ answer: T } | ModelFailure> {
  const deadline = AbortSignal.timeout(Math.max(0, Math.floor(limitMs)))
  try {
    return { answer: await ask(signal ? AbortSignal.any([signal, deadline]) : deadline) }
  } catch (error) {
    const isLate = deadline.aborted && signal?.aborted !== true
    return isLate ? new ModelFailure('timeout') : describeFailure(error, clock)
  }
}

/** Not a rule's randomness, only a pause's. */
function jitter(): number {
  return (performance.now() * 1_000) % 1
}
