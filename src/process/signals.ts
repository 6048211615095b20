export type StopSignals = {
  /** Resolves with the first reason to stop. */
  stop: Promise<string>
  /** Resolves when somebody insists. */
  force: Promise<void>
}

/** Ctrl-C reaches npm and us, and npm passes it on: what comes this soon after the first is the same wish. */
const echoMs = 1_000

export function listenForStop(): StopSignals {
  const stop = Promise.withResolvers<string>()
  const force = Promise.withResolvers<void>()
  let first: number | undefined
  const receive = (reason: string) => {
    const now = performance.now()
    if (first !== undefined && now - first > echoMs) force.resolve()
    first ??= now
    stop.resolve(reason)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, receive)
  // A supervisor that was killed cannot say so, but its end of the channel closes.
  if (process.connected) process.once('disconnect', () => receive('the supervisor is gone'))
  return { stop: stop.promise, force: force.promise }
}
