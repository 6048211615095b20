import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Above these limits the connection is closed, even if the client loses the answer. */
const maxBytes = 64 * 1024 * 1024
const maxDurationMs = 10_000
const maxIdleMs = 250

const draining = new WeakSet<Socket>()

/** Whether the rest of the request on this socket is dropped, so that a request timeout needs no answer of its own. */
export function isDraining(socket: Socket): boolean {
  return draining.has(socket)
}

/** Drains the body of a request that no route reads, such as that of a GET. Errors drain theirs before their answer. */
export function drainUnreadBodies(app: FastifyInstance): void {
  app.addHook('preValidation', async (request, reply) => {
    if (!(request.body instanceof Readable)) await drainBeforeAnswer(request, reply)
  })
}

/** A connection whose request does not end within the limits cannot serve another request. */
export async function drainBeforeAnswer({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!(await drainRequest(raw))) reply.header('connection', 'close')
}

/**
 * Reads and drops the rest of a request, so that the client has sent everything before it is answered. A connection
 * that is closed with unread bytes is reset, and most clients then lose the answer. False if a limit was reached.
 */
function drainRequest(request: IncomingMessage): Promise<boolean> {
  if (request.complete || request.readableEnded || request.destroyed) return Promise.resolve(true)
  const { socket } = request
  draining.add(socket)
  return new Promise((resolve) => {
    let bytes = 0
    const finish = (isEnded: boolean) => {
      clearTimeout(deadline)
      clearTimeout(idle)
      request.off('data', count).off('end', end).off('error', end).off('close', end)
      draining.delete(socket)
      resolve(isEnded)
    }
    const end = () => finish(true)
    const stop = () => {
      request.pause()
      finish(false)
    }
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      idle.refresh()
      if (bytes > maxBytes) stop()
    }
    const deadline = setTimeout(stop, maxDurationMs)
    const idle = setTimeout(() => finish(false), maxIdleMs)
    request.on('data', count).on('end', end).on('error', end).on('close', end)
    request.resume()
  })
}
