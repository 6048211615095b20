import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

type Complete = (request: FastifyRequest, reply: FastifyReply, status: number) => void

/** The status of a request whose client hung up before the answer, as proxies log it. It is never sent. */
const hungUp = 499

/**
 * Calls `complete` once for each request, after its answer or when its client has hung up. Fastify calls `onResponse` for answers
 * alone, so that a change whose client did not wait for its answer would be in no log.
 */
export function onCompleted(app: FastifyInstance, complete: Complete): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply
    raw.once('close', () => complete(request, reply, raw.headersSent ? reply.statusCode : hungUp))
    done()
  })
}
