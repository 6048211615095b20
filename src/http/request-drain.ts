import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Beyond these the client is cut off: it is not kept for its own sake. */
const maxBytes = 64 * 1024 * 1024
const maxDurationMs = 10_000
const maxIdleMs = 250

const draining = new WeakSet<Socket>()

/** Whether the request on it is refused already, so that it cannot be too late as well. */
export function isDraining(socket: Socket): boolean {
  return draining.has(socket)
}

/**
 * Reads what is left of a request and throws it away, so that the client has sent all before it is answered. A connection
 * that is closed with bytes unread is reset, and most clients then lose the answer.
 */
export function drainRequest(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  draining.add(request.socket)
  return new Promise((resolve) => {
    let bytes = 0
    const finish = () => {
      clearTimeout(deadline)
      clearTimeout(idle)
      request.off('data', count).off('end', finish).off('error', finish).off('close', finish)
      resolve()
    }
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      idle.refresh()
      if (bytes > maxBytes) finish()
    }
    const deadline = setTimeout(finish, maxDurationMs)
    const idle = setTimeout(finish, maxIdleMs)
    request.on('data', count).on('end', finish).on('error', finish).on('close', finish)
    request.resume()
  })
}
