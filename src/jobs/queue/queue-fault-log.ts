import type { Logger } from '../../kernel/log.ts'

const quietMs = 10_000

/** Logs each kind of failure at most once in ten seconds, because a queue that is down fails many times a second. */
export function createFaultLog(log: Logger) {
  const logged = new Map<string, number>()
  return (error: Error): void => {
    const kind = `${error.name} ${'code' in error ? error.code : ''}`
    const now = performance.now()
    if (now - (logged.get(kind) ?? -quietMs) < quietMs) return
    logged.set(kind, now)
    log.warn('the queue has a fault', { err: error })
  }
}
