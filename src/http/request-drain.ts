import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Above these limits the connection is closed, even if the client loses the answer. */
const maxBytes = 64 * 1024 * 1024
const maxDurationMs = 10_000
const maxIdleMs = 250

const draining = new WeakSet<Socket>()

/** Whether the request on this socket is refused already, so that a request timeout needs no answer of its own. */
export function isDraining(socket: Socket): boolean {
  return draining.has(socket)
}

/**
 * Reads and drops the rest of a request, so that the client has sent everything before it is answered. A connection
 * that is closed with unread bytes is reset, and most clients then lose the answer.
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
