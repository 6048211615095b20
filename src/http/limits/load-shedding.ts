import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../kernel/errors.ts'

const defaultDelayMs = 500
const sampleMs = 500
const resolutionMs = 10
const nanosecondsPerMs = 1e6

export type LoadSheddingOptions = {
  /** The mean delay of the event loop above which requests are refused. */
  maxEventLoopDelayMs?: number | undefined
  /** Requests that wait for a connection; this queue must not grow without limit. */
  pool: { readonly waitingCount: number }
  maxWaiting: number
}

/**
 * Returns a function that throws `overloaded` when the process is too busy, so that a client is refused at once
 * instead of waiting for a late answer. Requests that were accepted before get the time.
 */
export function createLoadShedding(
  app: FastifyInstance,
  { maxEventLoopDelayMs = defaultDelayMs, pool, maxWaiting }: LoadSheddingOptions,
): () => void {
  const delayMs = watchEventLoop(app)
  return function shedLoad() {
    if (delayMs() > maxEventLoopDelayMs) {
      throw createOverloadedError('The server is too busy to take on more.')
    }
    if (pool.waitingCount >= maxWaiting) {
      throw createOverloadedError('Too many requests are waiting for the database.')
    }
  }
}

function createOverloadedError(message: string): AppError {
  return new AppError('overloaded', message, { retryAfterSeconds: 1 })
}

/** All of these windows must be slow, so that one long turn of the event loop is not overload. */
const windows = 3

/** The smallest mean delay of the last windows, in milliseconds. One fast window ends the shedding. */
function watchEventLoop(app: FastifyInstance): () => number {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  const recent: number[] = Array(windows).fill(0)
  const sample = () => {
    // No samples means no delay.
    recent.push(histogram.count === 0 ? 0 : histogram.mean / nanosecondsPerMs - resolutionMs)
    recent.shift()
    histogram.reset()
  }
  let timer: NodeJS.Timeout | undefined
  // Starts with listening: compiling the routes is one long turn of the event loop.
  app.addHook('onListen', async () => {
    histogram.enable()
    timer = setInterval(sample, sampleMs)
    timer.unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    histogram.disable()
  })
  return () => Math.min(...recent)
}
