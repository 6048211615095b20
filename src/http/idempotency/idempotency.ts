import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CallContext } from '../../db/transaction.ts'
import { AppError } from '../../kernel/errors.ts'
import { readExpectedVersions } from '../etag.ts'
import { usesIdempotencyKey } from '../route-kind.ts'
import type { StoredAnswer } from './idempotency.queries.ts'
import { type Answer, type PreparedWork, type RunOnce, renderAnswer, type Work } from './run-once.ts'
import type { RenderedAnswer } from './stored-answers.ts'

export type Once = ReturnType<typeof createOnce>

/** Requests whose handler uses the Idempotency-Key; see `requireOnce`. */
const handledOnce = new WeakSet<FastifyRequest>()

export function readCallContext(request: FastifyRequest): CallContext {
  const { singleRecord, severalRecords } = request.routeOptions.config
  // Other routes change no stored record, and 412 is not among their documented answers.
  const expectedVersions = singleRecord || severalRecords ? readExpectedVersions(request) : undefined
  return { caller: request.caller, expectedVersions }
}

/** Returns `once`, which does the work of a request once per Idempotency-Key and sends the answer. */
export function createOnce(runOnce: RunOnce) {
  return async function once<Outcome>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: Work | PreparedWork<Outcome>,
    // The value whose digest is stored instead of the body. It has no passwords: they could be guessed from the digest.
    body: unknown = request.body,
  ): Promise<void> {
    const key = readIdempotencyKey(request)
    const { method, url } = request
    const identity = key === undefined ? undefined : { key, operation: `${method} ${url}`, input: body }
    // Sent after the commit: an answer that was sent before a rollback could not be taken back.
    const outcome = await runOnce(readCallContext(request), identity, work)
    reply.code('replayed' in outcome ? outcome.replayed.status : outcome.answer.status)
    await request.addPosition(reply)
    if ('replayed' in outcome) replay(reply, outcome.replayed)
    else send(reply, outcome.answer)
  }
}

function replay(reply: FastifyReply, { status, headers, body }: StoredAnswer): void {
  reply.header('idempotency-replayed', 'true')
  deliver(reply, { status, body, headers: headers as Record<string, string> })
}

function send(reply: FastifyReply, answer: Answer): void {
  const { body, shownOnce } = answer
  deliver(reply, renderAnswer({ ...answer, ...(body ? { body: { ...body, ...shownOnce } } : {}) }))
}

function deliver(reply: FastifyReply, { status, headers, body }: RenderedAnswer): void {
  reply.code(status).headers(headers)
  if (body === null) reply.send()
  else reply.header('content-type', 'application/json; charset=utf-8').send(body)
}

/** Call it in every handler that changes something. It also marks the key as used by the handler. */
export function readIdempotencyKey(request: FastifyRequest): string | undefined {
  handledOnce.add(request)
  const given = request.headers['idempotency-key']
  if (given === undefined) return undefined
  if (typeof given === 'string' && /^[\x21-\x7e]{1,255}$/.test(given)) return given
  throw new AppError('invalid_idempotency_key', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')
}

/**
 * Makes a change that does not use `once` fail on its first success, which is in its own test. The hook is not
 * asynchronous: see `addPosition`.
 */
export function requireOnce(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { method, routeOptions } = request
    const needsNoKey = !usesIdempotencyKey({ method, config: routeOptions.config })
    if (needsNoKey || reply.statusCode >= 400 || handledOnce.has(request)) done()
    else done(new Error(`${method} ${routeOptions.url} answers without once()`))
  })
}
