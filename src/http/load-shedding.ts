import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/errors.ts'

const sampleMs = 500
const resolutionMs = 10
const nanosecondsPerMs = 1e6

export type LoadSheddingOptions = {
  maxEventLoopDelayMs: number
  /** Requests that wait for a connection are the queue that must not grow without end. */
  pool: { readonly waitingCount: number }
  maxPoolQueue: number
}

/** Answers at once what could only be answered late; work already taken on gets the time instead. */
export function createLoadShedding(
  app: FastifyInstance,
  { maxEventLoopDelayMs, pool, maxPoolQueue }: LoadSheddingOptions,
): () => void {
  const delayMs = watchEventLoop(app)
  return function shedLoad() {
    if (maxEventLoopDelayMs > 0 && delayMs() > maxEventLoopDelayMs) {
      throw overloaded('The server is too busy to take on more.')
    }
    if (pool.waitingCount >= maxPoolQueue) {
      throw overloaded('Too many requests are waiting for the database.')
    }
  }
}

function overloaded(message: string): AppError {
  return new AppError('overloaded', message, { retryAfterSeconds: 1 })
}

/** Windows that must all be bad, so that one long turn of the loop is not taken for overload. */
const windows = 3

/** The least of the mean delays of the last windows, in milliseconds; a good one ends the shedding at once. */
function watchEventLoop(app: FastifyInstance): () => number {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  const recent: number[] = Array(windows).fill(0)
  const sample = () => {
    // Nothing was sampled means that nothing was late.
    recent.push(histogram.count === 0 ? 0 : histogram.mean / nanosecondsPerMs - resolutionMs)
    recent.shift()
    histogram.reset()
  }
  let timer: NodeJS.Timeout | undefined
  // Not while the routes are being compiled: starting is one long turn.
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
