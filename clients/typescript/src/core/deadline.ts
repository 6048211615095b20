export type Deadline = {
  signal: AbortSignal
  /** Starts the time anew. */
  restart(): void
  /** Must be called at the end: it stops the time and lets go of the outer signal. */
  end(): void
}

/** A signal that aborts with the outer one, or when the time is over. */
export function createDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  const abort = () => controller.abort(outer?.reason)
  const expire = () => controller.abort(new DOMException(`nothing for ${timeoutMs} ms`, 'TimeoutError'))
  let timer = setTimeout(expire, timeoutMs)
  if (outer?.aborted) abort()
  outer?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer)
      timer = setTimeout(expire, timeoutMs)
    },
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}

/** Resolves after the time, and rejects with the reason of the signal when that aborts. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
