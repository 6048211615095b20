import { type RunContext, RunEnded } from './runs.ts'

const lookedAfterMs = 1_000

/** The run may end while somebody outside is waited for: then nobody waits any more. */
export async function abortWhenRunEnds<T>(
  { throwIfEnded }: Pick<RunContext, 'throwIfEnded'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  const watch = setInterval(() => {
    throwIfEnded().catch((error: unknown) => {
      if (error instanceof RunEnded) ended.abort()
    })
  }, lookedAfterMs)
  try {
    return await work(ended.signal)
  } finally {
    clearInterval(watch)
  }
}
