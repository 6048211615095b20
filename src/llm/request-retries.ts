import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'
import { drawJitter } from '../kernel/jitter.ts'
import { ModelFailure } from './model-failure.ts'

/** One request to a model: `answered`, or the reason of the failure. */
type RequestReport = {
  outcome: string
  seconds: number
  promptTokens: number
  completionTokens: number
}
export type Observe = (report: RequestReport) => void

export type RetryOptions = {
  /** The limit of one request, until its last byte. */
  timeoutMs: number
  /** Requests after the first one. */
  retries?: number
  /** The limit of all requests and the pauses between them. */
  deadlineMs?: number
  signal?: AbortSignal
  /** Called after each request with `answered` or the reason of the failure. */
  onAttempt?: ((outcome: string, seconds: number) => void) | undefined
}

const firstPauseMs = 500
const maxPauseMs = 30_000

/** About 24 days. Node fires a longer timer immediately. */
const maxTimerMs = 2 ** 31 - 1

/** Repeats a request until it is answered, as long as the failure is temporary and the limits allow it. */
export async function requestWithRetries<T>(
  clock: Clock,
  { timeoutMs, retries = 0, deadlineMs = Number.POSITIVE_INFINITY, signal, onAttempt }: RetryOptions,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const started = performance.now()
  const countRemainingMs = () => deadlineMs - (performance.now() - started)
  for (let attempt = 0; ; attempt++) {
    const began = performance.now()
    const failure = await attemptOnce(clock, Math.min(timeoutMs, countRemainingMs()), signal, ask)
    const outcome = failure instanceof ModelFailure ? failure.reason : 'answered'
    onAttempt?.(outcome, (performance.now() - began) / 1_000)
    if (!(failure instanceof ModelFailure)) return failure.answer
    const least = computeMinPause(failure, attempt)
    // Jitter, so that clients that were refused at the same time do not return at the same time.
    const pause = least * (1 + 0.2 * drawJitter())
    if (!failure.isTemporary || attempt >= retries || least > maxPauseMs || pause >= countRemainingMs())
      throw failure
    await sleep(pause, undefined, signal ? { signal } : {}).catch(() => {
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
  if (signal?.aborted) return new ModelFailure('aborted')
  const deadline = AbortSignal.timeout(Math.min(Math.max(0, Math.floor(limitMs)), maxTimerMs))
  try {
    return { answer: await ask(signal ? AbortSignal.any([signal, deadline]) : deadline) }
  } catch (error) {
    if (signal?.aborted) return new ModelFailure('aborted')
    if (deadline.aborted) return new ModelFailure('timeout')
    if (error instanceof ModelFailure) return error
    const { toModelFailure: describeFailure } = await import('./client.ts')
    return describeFailure(error, clock)
  }
}

/** Waits at least as long as the server says, and never zero: a server that answers 0 is still busy. */
function computeMinPause({ retryAfterMs }: ModelFailure, attempt: number): number {
  if (retryAfterMs === undefined) return Math.min(firstPauseMs * 2 ** attempt, maxPauseMs)
  return Math.max(retryAfterMs, firstPauseMs)
}
