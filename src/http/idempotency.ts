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
    /** The route changes nothing although its method could. */
    readOnly?: boolean
    /** The route may run twice with the same effect, and its answer is too large or takes too long to be stored. */
    isIdempotent?: boolean
  }
}

export type Answer = {
  status: number
  body?: object
  headers?: Readonly<Record<string, string>>
  /** Members of the body that are sent once and never stored, because they are secrets. A replay lacks them. */
  shownOnce?: object
}
export type Effect = (call: CallContext) => Promise<Answer>
/** An effect with a slow preparation outside the transaction: waiting for a model must not hold a connection. */
export type PreparedEffect = { prepare(call: CallContext): Promise<Effect> }
export type Once = ReturnType<typeof createOnce>

type RenderedAnswer = { status: number; headers: Readonly<Record<string, string>>; body: string | null }

/** Requests whose handler heeds the Idempotency-Key; see `requireOnce`. */
const handledOnce = new WeakSet<FastifyRequest>()

export function readCallContext(request: FastifyRequest): CallContext {
  // Other routes do not change one record, and 412 is not among their documented answers.
  const version = request.routeOptions.config.singleRecord ? expectedVersion(request) : undefined
  return { caller: request.caller, ...(version === undefined ? {} : { expectedVersion: version }) }
}

type Resources = { db: Database; clock: Clock; retentionMs: number }

/** What the caller wants at most once; undefined without a key. */
export type Asked = { key: string; fingerprint: string } | undefined
export type Outcome = { answer: Answer } | { replayed: StoredAnswer }
export type RunOnce = ReturnType<typeof createRunOnce>

/**
 * Returns a function that runs an effect once per Idempotency-Key. The answer is stored in the transaction of the
 * effect, so a crash leaves both or neither.
 */
export function createRunOnce({ db, clock, retentionMs }: Resources) {
  return async function runOnce(
    call: CallContext,
    asked: Asked,
    work: Effect | PreparedEffect,
  ): Promise<Outcome> {
    if (!asked) return { answer: await (await prepareEffect(work, call))(call) }
    const { key, fingerprint } = asked
    const owner = { principal: call.caller.principal, key }
    if ('prepare' in work) {
      const stored = await findAnswer(db, owner, clock.now())
      if (stored) return replayFor(fingerprint, stored)
    }
    const effect = await prepareEffect(work, call)
    return transact(db, {}, async (tx) => {
      await lockKey(tx, owner)
      // A separate statement: its snapshot must be younger than the lock, or it could miss an answer that was
      // committed while the lock was acquired.
      const stored = await findAnswer(tx, owner, clock.now())
      if (stored) return replayFor(fingerprint, stored)
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
      return { answer }
    })
  }
}

/** Returns `once`, which runs an effect once per Idempotency-Key and sends the answer. */
export function createOnce(runOnce: RunOnce) {
  return async function once(
    request: FastifyRequest,
    reply: FastifyReply,
    work: Effect | PreparedEffect,
    // What stands for the body, of which a digest is stored: one without passwords, which could be guessed from it.
    body: unknown = request.body,
  ): Promise<void> {
    const key = readIdempotencyKey(request)
    const { method, url } = request
    const asked =
      key === undefined ? undefined : { key, fingerprint: fingerprintOf(`${method} ${url}`, body) }
    // Sent after the commit: an answer that was sent before a rollback could not be taken back.
    const outcome = await runOnce(readCallContext(request), asked, work)
    reply.code('replayed' in outcome ? outcome.replayed.status : outcome.answer.status)
    await request.addPosition(reply)
    if ('replayed' in outcome) replay(reply, outcome.replayed)
    else send(reply, outcome.answer)
  }
}

function replayFor(fingerprint: string, stored: StoredAnswer): Outcome {
  if (stored.fingerprint === fingerprint) return { replayed: stored }
  throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used with another request.')
}

async function prepareEffect(work: Effect | PreparedEffect, call: CallContext): Promise<Effect> {
  return 'prepare' in work ? work.prepare(call) : work
}

/** Does not wait for the lock: a second request gets 409 at once and holds no connection. */
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

function replay(reply: FastifyReply, { status, headers, body }: StoredAnswer): void {
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

/** Call it in every handler that changes something: it also says that the handler heeds the key. */
export function readIdempotencyKey(request: FastifyRequest): string | undefined {
  handledOnce.add(request)
  const given = request.headers['idempotency-key']
  if (given === undefined) return undefined
  if (typeof given === 'string' && /^[\x21-\x7e]{1,255}$/.test(given)) return given
  throw new AppError('invalid_idempotency_key', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')
}

export function fingerprintOf(operation: string, body: unknown): string {
  return createHash('sha256')
    .update(`${operation}\n${canonicalJson(body) ?? ''}`)
    .digest('base64url')
}

const mutations = new Set(['POST', 'PATCH', 'DELETE'])

/** Makes a mutation that does not use `once` fail on its first success, which is in its own test. */
export function requireOnce(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    const { isPublic, readOnly, isIdempotent } = request.routeOptions.config
    const isExcused = isPublic || readOnly || isIdempotent || !mutations.has(request.method)
    if (isExcused || reply.statusCode >= 400 || handledOnce.has(request)) return
    throw new Error(`${request.method} ${request.routeOptions.url} answers without once()`)
  })
}
