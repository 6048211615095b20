import type { Database } from '../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import type { Handle } from '../domain/identity/handles.ts'
import type { Outcome } from '../domain/payloads/payloads.ts'
import type { Caller } from '../domain/trust/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import {
  insertHandles,
  loadForUpdate,
  lookUpHandles,
  presentWritten,
  type StoredRecord,
  type WrittenRecord,
  writeChange,
} from '../records/index.ts'

type Resources = { db: Database; clock: Clock; textLanguage: string }

/** `reference` is the handle by which a retry is recognised. Undefined if the source gave no reference. */
type OutcomeInput = {
  outcome: Outcome
  actor: string
  rationale: string
  kept?: unknown
  reference?: Handle | undefined
}
type OutcomeResult = { record: WrittenRecord; isRepeated: boolean }

/** Returns the service that sets the outcome of an episode, which may be corrected later. */
export function createOutcomeService({ db, clock, textLanguage }: Resources) {
  async function setOutcome(call: CallContext, id: string, input: OutcomeInput): Promise<WrittenRecord> {
    return (await recordOutcome(call, id, input)).record
  }

  async function recordOutcome(call: CallContext, id: string, input: OutcomeInput): Promise<OutcomeResult> {
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const { caller } = call
      const stored = await loadForUpdate(tx, call, id)
      if (stored.type !== 'episodic') throw new AppError('type_mismatch', 'Only an episode has an outcome.')
      // A late retry must not set the first outcome again, because that would undo a correction.
      const isRepeated = !(await claimReference(tx, caller, stored, input.reference))
      const changed = isRepeated ? stored : await writeOutcome(tx, stored, input, now)
      return { record: presentWritten(caller, changed, now), isRepeated }
    })
  }

  async function writeOutcome(
    tx: Transaction,
    stored: StoredRecord,
    { outcome, actor, rationale, kept }: OutcomeInput,
    now: Date,
  ): Promise<StoredRecord> {
    const { payload } = stored
    if (payload.kind !== 'episodic' || payload.outcome === outcome) return stored
    return writeChange(tx, stored, {
      action: 'revise',
      actor,
      rationale,
      now,
      textLanguage,
      content: { payload: { ...payload, outcome } },
      changes: {
        'payload.outcome': [payload.outcome ?? null, outcome],
        ...(kept === undefined ? {} : { captured: [null, kept] }),
      },
    })
  }

  return { setOutcome, recordOutcome }
}

/** Returns false if the episode already has this reference. */
async function claimReference(
  tx: Transaction,
  { trust }: Caller,
  { id, scope }: StoredRecord,
  reference: Handle | undefined,
): Promise<boolean> {
  if (!reference) return true
  const handle = { ...reference, scope, lock: 'if_unused' as const }
  const {
    matches: [found],
  } = await lookUpHandles(tx, [handle], trust.maxSensitivity)
  if (found?.known.some((known) => known.id === id)) return false
  await insertHandles(tx, id, scope, [{ ...reference, place: found?.nextPlace ?? 0 }])
  return true
}
