import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/errors.ts'
import { hasWriteMethod } from '../route-kind.ts'

export type BodyLimits = {
  /** The largest body. */
  maxBytes: number
  /** The most for all bodies of one key whose requests are not answered yet: a few hundred bodies would fill the memory. */
  maxHeldBytes: number
}

/** Returns a function that reads a whole body. */
export function createBodyReader(app: FastifyInstance, { maxBytes, maxHeldBytes }: BodyLimits) {
  const held = new Map<string, number>()
  const heldBy = new WeakMap<IncomingMessage, number>()

  function hold({ raw, caller }: FastifyRequest, bytes: number): void {
    // Released already, because its client is gone.
    if (raw.destroyed) return
    const { principal } = caller
    const all = (held.get(principal) ?? 0) + bytes
    if (all > maxHeldBytes) {
      const message = 'The key sends more at once than this server takes on.'
      throw new AppError('overloaded', message, { retryAfterSeconds: 1 })
    }
    held.set(principal, all)
    heldBy.set(raw, (heldBy.get(raw) ?? 0) + bytes)
  }

  function release({ raw, caller }: FastifyRequest): void {
    const bytes = heldBy.get(raw)
    if (bytes === undefined) return
    heldBy.delete(raw)
    const others = (held.get(caller.principal) ?? 0) - bytes
    if (others > 0) held.set(caller.principal, others)
    else held.delete(caller.principal)
  }

  app.addHook('preParsing', (request, reply, payload, done) => {
    if (hasWriteMethod(request)) reply.raw.once('close', () => release(request))
    done(null, payload)
  })

  return async function read(request: FastifyRequest, source: Readable): Promise<Buffer> {
    const declared = Number(request.headers['content-length'] ?? 0)
    if (declared > maxBytes) throw createTooLargeError()
    return collect(source, (bytes, size) => {
      if (size > maxBytes) throw createTooLargeError()
      hold(request, bytes)
    })
  }
}

/**
 * Copies the chunks as they come. Fastify keeps them to the end, and a body in chunks of one byte took five hundred times its
 * size. `count` gets the bytes of each chunk and of all so far, and throws when they are too many.
 */
export function collect(source: Readable, count: (bytes: number, size: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let body: Buffer = Buffer.alloc(0)
    let size = 0
    const stop = () => void source.off('data', add).off('end', finish).off('error', fail)
    const fail = () => {
      stop()
      reject(createCutBodyError())
    }
    const finish = () => {
      stop()
      resolve(body.subarray(0, size))
    }
    const add = (chunk: Buffer) => {
      try {
        count(chunk.length, size + chunk.length)
      } catch (error) {
        stop()
        return reject(error)
      }
      if (size + chunk.length > body.length) body = enlarge(body, size + chunk.length)
      size += chunk.copy(body, size)
    }
    source.on('data', add).on('end', finish).on('error', fail)
  })
}

/** Doubled, so that each byte is copied twice at most on average. */
function enlarge(body: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(size, 2 * body.length))
  body.copy(larger)
  return larger
}

export function createCutBodyError(): AppError {
  return new AppError('malformed_request', 'The body was not sent to its end.')
}

function createTooLargeError(): AppError {
  return new AppError('body_too_large', 'The body is larger than this server accepts.')
}
