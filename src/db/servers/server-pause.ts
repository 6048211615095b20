const pauseMs = { first: 500, longest: 30_000 }

/**
 * Keeps requests from a server that cannot be used. After a pause, which doubles with each failure, one of them tries
 * again. `report` is called with the failure when it begins, and without one when it ends.
 */
export function createPause(report: (failure?: unknown) => void) {
  let failures = 0
  let until = 0
  let isTrying = false

  const isAway = () => failures > 0

  /** Many requests fail together, and count as one failure. */
  function noteFailure(failure: unknown): void {
    if (isAway() && performance.now() < until) return
    failures++
    const lengthMs = pauseMs.first * 2 ** Math.min(failures - 1, 16)
    until = performance.now() + Math.min(pauseMs.longest, lengthMs)
    if (failures === 1) report(failure)
  }

  return {
    isAway,
    noteFailure,
    /** Whether a request that needs a new connection must be refused. Call it before `attempt`. */
    isClosed: () => isAway() && (isTrying || performance.now() < until),
    /** Runs an attempt to connect; while the server is away, no other begins meanwhile. */
    attempt: async <T>(connect: () => Promise<T>): Promise<T> => {
      const isTrial = isAway() && !isTrying
      isTrying ||= isTrial
      try {
        const connected = await connect()
        if (isAway()) report()
        failures = 0
        return connected
      } finally {
        if (isTrial) isTrying = false
      }
    },
    secondsLeft: () => Math.ceil(Math.max(0, until - performance.now()) / 1_000),
  }
}
