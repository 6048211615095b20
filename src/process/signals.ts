export type StopSignals = {
  /** Resolves with the first reason to stop. */
  stop: Promise<string>
  /** Resolves at a second signal: stop at once. */
  force: Promise<void>
}

/**
 * Ctrl-C reaches both npm and this process, and npm passes it on. A second signal within this time is the same one.
 */
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
  // A supervisor that was killed cannot send a signal, but its end of the channel closes.
  if (process.connected) process.once('disconnect', () => receive('the supervisor is gone'))
  return { stop: stop.promise, force: force.promise }
}
