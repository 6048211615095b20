import type { Database } from '../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import type { Caller } from '../domain/caller.ts'
import type { Handle } from '../domain/handles.ts'
import type { Outcome } from '../domain/payloads.ts'
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

/** `name`: what a retry is known by, if its source gave it one. */
type Told = { outcome: Outcome; actor: string; rationale: string; kept?: unknown; name?: Handle | undefined }
type Chosen = { record: WrittenRecord; isRepeated: boolean }

/** How an episode ended: the one thing about it that may be said later, and corrected. */
export function createOutcomes({ db, clock, textLanguage }: Resources) {
  async function choose(call: CallContext, id: string, told: Told): Promise<WrittenRecord> {
    return (await judge(call, id, told)).record
  }

  async function judge(call: CallContext, id: string, told: Told): Promise<Chosen> {
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const { caller } = call
      const stored = await loadForUpdate(tx, call, id)
      if (stored.type !== 'episodic') throw new AppError('type_mismatch', 'Only an episode has an outcome.')
      // Set again by a late retry, what was said first would undo a correction.
      const isRepeated = !(await takeName(tx, caller, stored, told.name))
      const changed = isRepeated ? stored : await setOutcome(tx, stored, told, now)
      return { record: presentWritten(caller, changed, now), isRepeated }
    })
  }

  async function setOutcome(
    tx: Transaction,
    stored: StoredRecord,
    { outcome, actor, rationale, kept }: Told,
    now: Date,
  ): Promise<StoredRecord> {
    const { payload } = stored
    if (payload.kind !== 'episodic' || payload.outcome === outcome) return stored
    return writeChange(tx, stored, {
      ...{ action: 'revise', actor, rationale, now, textLanguage },
      content: { payload: { ...payload, outcome } },
      changes: {
        'payload.outcome': [payload.outcome ?? null, outcome],
        ...(kept === undefined ? {} : { captured: [null, kept] }),
      },
    })
  }

  return { choose, judge }
}

/** False when the episode bears the name already. */
async function takeName(
  tx: Transaction,
  { trust }: Caller,
  { id, scope }: StoredRecord,
  name: Handle | undefined,
): Promise<boolean> {
  if (!name) return true
  const wanted = { ...name, scope, lock: 'if_unused' as const }
  const {
    matches: [sought],
  } = await lookUpHandles(tx, [wanted], trust.maxSensitivity)
  if (sought?.known.some((known) => known.id === id)) return false
  await insertHandles(tx, id, scope, [{ ...name, place: sought?.nextPlace ?? 0 }])
  return true
}
