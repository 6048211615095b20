import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { isPositionToken } from '../db/positions/position-cipher.ts'
import type { Positions } from '../db/positions/positions.ts'
import { type Reading, runReading, runWriting, type Writing } from '../db/request-scope.ts'
import { AppError } from '../kernel/errors.ts'
import { onCompleted } from './completed-requests.ts'
import { readsState } from './route-kind.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route changes anything depends on the body; its answer has a position only if it did. */
    mayOnlyRead?: boolean
  }
  interface FastifyRequest {
    /** A token after everything that this request has committed; undefined when the database does not answer. */
    encryptPosition: () => Promise<string | undefined>
    /**
     * Adds the position to the answer of a successful write, when it is sent. A handler that sends by itself must call this
     * first: there Fastify does not wait for an asynchronous hook, and would send again without a body.
     */
    addPosition: (reply: FastifyReply) => Promise<void>
    /** Runs work that only reads, in the state that the client asks for. */
    readAfterPosition: <T>(work: () => Promise<T>) => Promise<T>
  }
}

const header = 'membrane-position'

/** Routes that answer in the state after a position. */
export function takesPosition(route: Pick<RouteOptions, 'method' | 'config'>): boolean {
  return !route.config?.isPublic && readsState(route)
}

/** A client reads its own writes: it sends back the position of a write, and no older state answers. */
export function carryPositions(
  app: FastifyInstance,
  positionsOf: (request: FastifyRequest) => Positions | undefined,
): void {
  const readings = new WeakMap<FastifyRequest, Reading>()
  const writings = new WeakMap<FastifyRequest, Writing>()
  /** The requests whose answers have their position already, or cannot get one because the database does not answer. */
  const finished = new WeakSet<FastifyRequest>()

  async function readRequested(request: FastifyRequest): Promise<Reading> {
    const given = request.headers[header]
    if (given === undefined || request.routeOptions.config.isPublic) return { isPrimaryOnly: false }
    if (isMalformed(request)) throw createMalformedError()
    // A position of another database, or none that can be read now: only the primary is sure to be late enough.
    const after = await positionsOf(request)
      ?.decrypt(String(given))
      .catch(() => undefined)
    return { after, isPrimaryOnly: after === undefined }
  }

  app.decorateRequest('encryptPosition', async function (this: FastifyRequest) {
    const position = writings.get(this)?.position
    return positionsOf(this)
      ?.encrypt(position)
      .catch((error: unknown) => {
        this.log.warn({ err: error }, 'an answer was sent without its position')
        return undefined
      })
  })
  app.decorateRequest('addPosition', async function (this: FastifyRequest, reply: FastifyReply) {
    const effects = writings.get(this)
    const { isPublic, mayOnlyRead } = this.routeOptions.config
    finished.add(this)
    if (!effects || isPublic || reply.statusCode >= 300) return
    if (mayOnlyRead && !effects.hasCommitted) return
    const token = await this.encryptPosition()
    if (token !== undefined) reply.header(header, token)
  })
  app.decorateRequest('readAfterPosition', async function <T>(this: FastifyRequest, work: () => Promise<T>) {
    const requested = await readRequested(this)
    return runReading(requested, work).finally(() => {
      requested.isPrimaryOnly = true
    })
  })

  app.addHook('preHandler', (request, _reply, done) => {
    const { config } = request.routeOptions
    if (readsState({ method: request.method, config })) {
      readRequested(request).then((found) => {
        readings.set(request, found)
        runReading(found, done)
      }, done)
      return
    }
    if (config.mayOnlyRead && isMalformed(request)) return done(createMalformedError())
    const effects: Writing = { hasCommitted: false }
    writings.set(request, effects)
    runWriting(effects, done)
  })

  // Returns no promise if there is nothing to wait for: see `addPosition`.
  app.addHook('onSend', (request, reply, payload, done) => {
    const isReady = !writings.has(request) || finished.has(request) || payload instanceof Readable
    if (isReady) done()
    else request.addPosition(reply).then(() => done(), done)
  })

  // Work that continues after the answer, or after the client hung up, keeps the context of the request, and may write.
  onCompleted(app, (request) => {
    const found = readings.get(request)
    if (found) found.isPrimaryOnly = true
  })
}

function isMalformed({ headers }: FastifyRequest): boolean {
  const given = headers[header]
  return given !== undefined && (typeof given !== 'string' || !isPositionToken(given))
}

function createMalformedError(): AppError {
  return new AppError('invalid_position', 'Membrane-Position must be a value that this service sent.')
}
