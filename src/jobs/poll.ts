import { setTimeout as sleep } from 'node:timers/promises'

export type Poll = { stop(): Promise<void> }

type PollOptions = {
  everyMs: number
  /** One look. The signal asks it to stop early; `stop` waits for it. */
  look(signal: AbortSignal): Promise<void>
  /** A look that fails does not end the poll. A look that `stop` interrupts is no error. */
  onError(error: unknown): void
}

/** Looks at once, and then again `everyMs` after the end of each look. */
export function startPoll({ everyMs, look, onError }: PollOptions): Poll {
  const stopping = new AbortController()
  const { signal } = stopping

  async function keepLooking(): Promise<void> {
    while (!signal.aborted) {
      await look(signal).catch((error: unknown) => signal.aborted || onError(error))
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  }

  const ended = keepLooking()
  return {
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}
