import { type RunContext, RunEnded } from './runs.ts'

const checkEveryMs = 1_000

/** Aborts slow work outside of the database, such as a request to a model, when its run ends; then throws that end. */
export async function abortWhenRunEnds<T>(
  { throwIfEnded }: Pick<RunContext, 'throwIfEnded'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  let end: RunEnded | undefined
  const timer = setInterval(() => {
    throwIfEnded().catch((error: unknown) => {
      if (!(error instanceof RunEnded)) return
      end = error
      ended.abort()
    })
  }, checkEveryMs)
  try {
    const result = await work(ended.signal)
    if (!end) return result
  } catch (error) {
    throw end ?? error
  } finally {
    clearInterval(timer)
  }
  throw end
}
