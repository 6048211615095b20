import { setTimeout as sleep } from 'node:timers/promises'

export type Poll = { stop(): Promise<void> }

/** Several polls that stop together. */
export function joinPolls(polls: readonly Poll[]): Poll {
  return { stop: async () => void (await Promise.all(polls.map((poll) => poll.stop()))) }
}

type PollOptions = {
  everyMs: number
  /**
   * One look. The signal asks it to stop early; `stop` waits for it. It may return the milliseconds until the next look,
   * if that must be sooner than usual.
   */
  look(signal: AbortSignal): Promise<void> | Promise<number>
  /** A look that fails does not end the poll. A look that `stop` interrupts is no error. */
  onError(error: unknown): void
}

/** Looks at once, and then again at most `everyMs` after the end of each look. */
export function startPoll({ everyMs, look, onError }: PollOptions): Poll {
  const stopping = new AbortController()
  const { signal } = stopping

  /** Returns the milliseconds until the next look. */
  async function lookSafely(): Promise<number> {
    try {
      const soonerMs = await look(signal)
      return typeof soonerMs === 'number' ? Math.min(soonerMs, everyMs) : everyMs
    } catch (error) {
      if (!signal.aborted) onError(error)
      return everyMs
    }
  }

  async function keepLooking(): Promise<void> {
    while (!signal.aborted) {
      const pauseMs = await lookSafely()
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
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
