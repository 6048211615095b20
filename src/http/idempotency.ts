import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { momentAfter } from '../kernel/units.ts'
import { canonicalJson } from './canonical.ts'
import { expectedVersion } from './etag.ts'
import { findAnswer, type StoredAnswer, storeAnswer, tryLock } from './idempotency.queries.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Changes nothing, though its method could. */
    readOnly?: boolean
    /** Running it twice does what once does, and its answer is too large or too long in coming to be kept. */
    isIdempotent?: boolean
  }
}

export type Answer = {
  status: number
  body?: object
  headers?: Readonly<Record<string, string>>
  /** Members of the first answer's body that are never stored, and so are missing from a replay: secrets. */
  shownOnce?: object
}
export type Effect = (call: CallContext) => Promise<Answer>
/** An effect that is made ready first, outside of any transaction: what waits for others may not hold a connection. */
export type PreparedEffect = { prepare(call: CallContext): Promise<Effect> }
export type Once = ReturnType<typeof createOnce>

type RenderedAnswer = { status: number; headers: Readonly<Record<string, string>>; body: string | null }

/** Requests whose handler went through `once`; the others may not answer a mutation. */
const handledOnce = new WeakSet<FastifyRequest>()

export function readCallContext(request: FastifyRequest): CallContext {
  // Elsewhere If-Match has no one record to be about, and a 412 would be no answer that is documented.
  const version = request.routeOptions.config.singleRecord ? expectedVersion(request) : undefined
  return { caller: request.caller, ...(version === undefined ? {} : { expectedVersion: version }) }
}

type Resources = { db: Database; clock: Clock; retentionMs: number }

/**
 * Runs an effect once per Idempotency-Key, however often it is asked for. The answer is stored in the effect's
 * own transaction: whatever ends the process leaves both or neither.
 */
export function createOnce({ db, clock, retentionMs }: Resources) {
  return async function once(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Effect | PreparedEffect,
  ): Promise<void> {
    handledOnce.add(request)
    const call = readCallContext(request)
    const key = keyOf(request)
    if (key === undefined) return send(reply, await (await prepareEffect(asked, call))(call))
    const owner = { principal: call.caller.principal, key }
    const fingerprint = fingerprintRequest(request)
    if ('prepare' in asked) {
      const stored = await findAnswer(db, owner, clock.now())
      if (stored) return replay(reply, stored, fingerprint)
    }
    const effect = await prepareEffect(asked, call)
    const deliverAnswer = await transact(db, {}, async (tx) => {
      await lockKey(tx, owner)
      // A statement of its own: its snapshot must be younger than the lock, or it could miss an answer that
      // was committed while the lock was waited for.
      const stored = await findAnswer(tx, owner, clock.now())
      if (stored) return () => replay(reply, stored, fingerprint)
      const answer = await effect({ ...call, tx })
      const now = clock.now()
      await storeAnswer(tx, {
        ...owner,
        ...render(answer),
        headers: JSON.stringify(answer.headers ?? {}),
        fingerprint,
        created_at: now,
        expires_at: momentAfter(now, retentionMs),
      })
      return () => send(reply, answer)
    })
    // After the commit: an answer that was sent and then rolled back could not be taken back.
    deliverAnswer()
  }
}

async function prepareEffect(asked: Effect | PreparedEffect, call: CallContext): Promise<Effect> {
  return 'prepare' in asked ? asked.prepare(call) : asked
}

/** One statement that does not wait: a second request is told so, and holds no connection meanwhile. */
async function lockKey(
  tx: Transaction,
  { principal, key }: { principal: string; key: string },
): Promise<void> {
  const lock = createHash('sha256').update(`${principal}\n${key}`).digest().readBigInt64BE()
  if (await tryLock(tx, lock)) return
  throw new AppError('request_in_progress', 'A request with this Idempotency-Key is still running.', {
    retryAfterSeconds: 1,
  })
}

function replay(
  reply: FastifyReply,
  { status, headers, body, fingerprint }: StoredAnswer,
  asked: string,
): void {
  if (fingerprint !== asked) {
    throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used with another request.')
  }
  reply.header('idempotency-replayed', 'true')
  deliver(reply, { status, body, headers: headers as Record<string, string> })
}

function send(reply: FastifyReply, answer: Answer): void {
  const { body, shownOnce } = answer
  deliver(reply, render({ ...answer, ...(body ? { body: { ...body, ...shownOnce } } : {}) }))
}

function render({ status, headers = {}, body }: Answer): RenderedAnswer {
  return { status, headers, body: body === undefined ? null : JSON.stringify(body) }
}

function deliver(reply: FastifyReply, { status, headers, body }: RenderedAnswer): void {
  reply.code(status).headers(headers)
  if (body === null) reply.send()
  else reply.header('content-type', 'application/json; charset=utf-8').send(body)
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['idempotency-key']
  if (given === undefined) return undefined
  if (typeof given === 'string' && /^[\x21-\x7e]{1,255}$/.test(given)) return given
  throw new AppError('invalid_idempotency_key', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')
}

function fingerprintRequest({ method, url, body }: FastifyRequest): string {
  return createHash('sha256')
    .update(`${method} ${url}\n${canonicalJson(body) ?? ''}`)
    .digest('base64url')
}

const mutations = new Set(['POST', 'PATCH', 'DELETE'])

/** A route that forgets `once` fails the first time it answers, which is in its own test. */
export function requireOnce(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    const { isPublic, readOnly, isIdempotent } = request.routeOptions.config
    const isExcused = isPublic || readOnly || isIdempotent || !mutations.has(request.method)
    if (isExcused || reply.statusCode >= 400 || handledOnce.has(request)) return
    throw new Error(`${request.method} ${request.routeOptions.url} answers without once()`)
  })
}
