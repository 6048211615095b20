import type { Database } from '../../db/connection.ts'
import type { Guard } from '../../db/shared-transactions.ts'
import { type CallContext, transact } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Asked, createFingerprints } from './fingerprint.ts'
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

type Resources = { db: Database; clock: Clock; retentionMs: number; tombstoneKey: string | undefined }

/** By this a repetition is recognised: the key that the client chose, and what it asked. */
export type RequestIdentity = { key: string } & Asked
export type Finished = { answer: Answer } | { replayed: StoredAnswer }
export type RunOnce = ReturnType<typeof createRunOnce>

/**
 * Returns a function that does the work of a request once per Idempotency-Key. The answer is stored in the transaction of the
 * work, so a crash leaves both or neither.
 */
export function createRunOnce({ db, clock, retentionMs, tombstoneKey }: Resources) {
  const fingerprints = createFingerprints(tombstoneKey)
  const { store, admit, findReplays, toRow } = createStoredAnswers({ clock, retentionMs })

  async function runOnce<Outcome>(
    context: CallContext,
    identity: RequestIdentity | undefined,
    work: Work | PreparedWork<Outcome>,
  ): Promise<Finished> {
    const call = { ...context, now: clock.now() }
    if (!identity) return { answer: await runUnkeyed(work, call) }
    const { principal } = call.caller
    const owned = { principal, key: identity.key, fingerprint: fingerprints.compute(identity) }
    try {
      return { answer: await runKeyed(work, call, owned) }
    } catch (error) {
      if (!(error instanceof Replay)) throw error
      const { fingerprint } = error.stored
      if (fingerprint === owned.fingerprint || fingerprints.isPlain(fingerprint, identity))
        return { replayed: error.stored }
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
      await store.save(tx, [toRow(key, renderAnswer(answer))])
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
      return toRow(key, renderAnswer(answer))
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

export function renderAnswer({ status, headers = {}, body }: Answer): RenderedAnswer {
  return { status, headers, body: body === undefined ? null : JSON.stringify(body) }
}
