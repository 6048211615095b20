import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../db/connection.ts'
import type { Guard } from '../../db/shared-transactions.ts'
import { type CallContext, transact } from '../../db/transaction.ts'
import { formatCanonicalJson } from '../../kernel/canonical-json.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { readExpectedVersions } from '../etag.ts'
import { usesIdempotencyKey } from '../route-kind.ts'
import type { StoredAnswer } from './idempotency.queries.ts'
import { createStoredAnswers, type OwnedKey, type RenderedAnswer, Replay } from './stored-answers.ts'

export type Answer = {
  status: number
  body?: object
  headers?: Readonly<Record<string, string>>
  /** Members of the body that are sent once and never stored, because they are secrets. A replay lacks them. */
  shownOnce?: object
}
/** What a request does. */
export type Work = (call: CallContext) => Promise<Answer>
/** Work that may happen in one transaction with those of other requests. */
export type SharedWork<Outcome> = {
  share(guard?: Guard<Outcome>): Promise<Outcome>
  /** An error belongs to the request and is not stored: sent again, it may succeed. */
  answer(outcome: Outcome): Answer | AppError
}
/** Work with a preparation outside the transaction: waiting for a model must not hold a connection. */
export type PreparedWork<Outcome = unknown> = {
  prepare(call: CallContext): Promise<Work | SharedWork<Outcome>>
  /** It changes nothing and asks no model, so that an earlier answer need not be looked for before. */
  isQuick?: boolean
}
export type Once = ReturnType<typeof createOnce>

/** Requests whose handler uses the Idempotency-Key; see `requireOnce`. */
const handledOnce = new WeakSet<FastifyRequest>()

export function readCallContext(request: FastifyRequest): CallContext {
  const { singleRecord, severalRecords } = request.routeOptions.config
  // Other routes change no stored record, and 412 is not among their documented answers.
  const expectedVersions = singleRecord || severalRecords ? readExpectedVersions(request) : undefined
  return { caller: request.caller, expectedVersions }
}

type Resources = { db: Database; clock: Clock; retentionMs: number }

/** By this a repetition is recognised: the key that the client chose, and a digest of the request. */
export type RequestIdentity = { key: string; fingerprint: string }
export type Finished = { answer: Answer } | { replayed: StoredAnswer }
export type RunOnce = ReturnType<typeof createRunOnce>

/**
 * Returns a function that does the work of a request once per Idempotency-Key. The answer is stored in the transaction of the
 * work, so a crash leaves both or neither.
 */
export function createRunOnce({ db, clock, retentionMs }: Resources) {
  const { store, admit, findReplays, toRow } = createStoredAnswers({ clock, retentionMs })

  async function runOnce<Outcome>(
    context: CallContext,
    identity: RequestIdentity | undefined,
    work: Work | PreparedWork<Outcome>,
  ): Promise<Finished> {
    const call = { ...context, now: clock.now() }
    if (!identity) return { answer: await runUnkeyed(work, call) }
    const { key, fingerprint } = identity
    try {
      return { answer: await runKeyed(work, call, { principal: call.caller.principal, key, fingerprint }) }
    } catch (error) {
      if (!(error instanceof Replay)) throw error
      if (error.stored.fingerprint === fingerprint) return { replayed: error.stored }
      throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used with another request.')
    }
  }

  async function runKeyed<Outcome>(
    work: Work | PreparedWork<Outcome>,
    call: CallContext,
    key: OwnedKey,
  ): Promise<Answer> {
    const ready = 'prepare' in work ? await prepareKeyed(work, call, key) : work
    if ('share' in ready) return shareKeyed(ready, key)
    return transact(db, { readsFirst: true }, async (tx) => {
      const [reason] = await admit(tx, [key])
      if (reason) throw reason
      const answer = await ready({ ...call, tx })
      await store.save(tx, [toRow(key, render(answer))])
      return answer
    })
  }

  /** Looks for an earlier answer before a slow preparation; after a quick one only if it failed. */
  async function prepareKeyed<Outcome>(
    { prepare, isQuick }: PreparedWork<Outcome>,
    call: CallContext,
    key: OwnedKey,
  ) {
    if (!isQuick) await refuseReplay(key)
    try {
      return await prepare(call)
    } catch (error) {
      // A request that was possible the first time may be impossible now.
      if (isQuick) await refuseReplay(key)
      throw error
    }
  }

  async function shareKeyed<Outcome>(work: SharedWork<Outcome>, key: OwnedKey): Promise<Answer> {
    // The stored text is sent.
    const answers = new Map<Outcome, Answer>()
    const settle = (outcome: Outcome) => {
      const answer = work.answer(outcome)
      if (answer instanceof AppError) return undefined
      answers.set(outcome, answer)
      return toRow(key, render(answer))
    }
    const guard = { ...key, store, settle }
    const outcome = await work.share(guard)
    return answers.get(outcome) ?? throwIfError(work.answer(outcome))
  }

  /** Throws the answer that the request had before. */
  async function refuseReplay(key: OwnedKey): Promise<void> {
    const [replay] = await findReplays(db, [key])
    if (replay) throw replay
  }

  return runOnce
}

async function runUnkeyed<Outcome>(work: Work | PreparedWork<Outcome>, call: CallContext): Promise<Answer> {
  const ready = 'prepare' in work ? await work.prepare(call) : work
  return 'share' in ready ? throwIfError(ready.answer(await ready.share())) : ready(call)
}

function throwIfError(answer: Answer | AppError): Answer {
  if (answer instanceof AppError) throw answer
  return answer
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
    const identity =
      key === undefined ? undefined : { key, fingerprint: computeFingerprint(`${method} ${url}`, body) }
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

/** Call it in every handler that changes something. It also marks the key as used by the handler. */
export function readIdempotencyKey(request: FastifyRequest): string | undefined {
  handledOnce.add(request)
  const given = request.headers['idempotency-key']
  if (given === undefined) return undefined
  if (typeof given === 'string' && /^[\x21-\x7e]{1,255}$/.test(given)) return given
  throw new AppError('invalid_idempotency_key', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')
}

export function computeFingerprint(operation: string, body: unknown): string {
  return createHash('sha256')
    .update(`${operation}\n${formatCanonicalJson(body) ?? ''}`)
    .digest('base64url')
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
