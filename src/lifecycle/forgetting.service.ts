import type { Database } from '../db/connection.ts'
import { type CallContext, transact } from '../db/transaction.ts'
import { type Caller, isAllowed } from '../domain/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { momentAfter } from '../kernel/units.ts'
import {
  createForgottenError,
  loadAnyForUpdate,
  loadForUpdate,
  presentForgetting,
  presentWritten,
  restoreRecord,
  type StoredRecord,
  type WrittenRecord,
  writeChange,
} from '../records/index.ts'
import { insertUse } from './forgetting.queries.ts'
import type { DeletionQuery, Restoration } from './forgetting.schemas.ts'
import { rescoreAndPromoteRecord } from './promotion.service.ts'

type Resources = { db: Database; clock: Clock; textLanguage: string; forgottenRetentionMs: number }

export type ForgettingService = ReturnType<typeof createForgettingService>

export function createForgettingService({ db, clock, textLanguage, forgottenRetentionMs }: Resources) {
  /** Out of every list and retrieval at once; the row waits for `purge_at`, in case it is wanted back. */
  async function forget(call: CallContext, id: string, asked: DeletionQuery): Promise<WrittenRecord> {
    const { actor, rationale, force = false } = asked
    if (force) requireForce(call.caller)
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const stored = await loadForUpdate(tx, call, id)
      requireForgettable(stored, force)
      const forgotten = { forgotten_at: now, forgotten_reason: 'deleted', forgotten_by: actor }
      const changed = await writeChange(tx, stored, {
        ...{ action: 'delete', actor, rationale, now, textLanguage },
        record: { ...forgotten, purge_at: momentAfter(now, forgottenRetentionMs) },
        changes: { forgotten: [null, presentForgetting(forgotten)] },
      })
      return presentWritten(call.caller, changed, now)
    })
  }

  /** Possible until `purge_at`, whether or not the purge has come by already. */
  async function restore(
    call: CallContext,
    id: string,
    { actor, rationale }: Restoration,
  ): Promise<WrittenRecord> {
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const stored = await loadAnyForUpdate(tx, call, id)
      if (!stored.forgotten_at || !stored.purge_at) {
        throw new AppError('record_not_forgotten', 'The record is not forgotten.')
      }
      if (stored.purge_at <= now) throw createForgottenError(stored, true, now)
      const changed = await writeChange(tx, stored, {
        ...{ action: 'restore', actor, rationale, now, textLanguage },
        ...restoreRecord(stored, now),
      })
      await insertUse(tx, stored.id, { at: now, actor })
      return presentWritten(call.caller, await rescoreAndPromoteRecord(tx, call.caller, changed, now), now)
    })
  }

  return { forget, restore }
}

function requireForce(caller: Caller): void {
  if (isAllowed(caller, 'admin')) return
  throw new AppError('forbidden', 'force takes the admin permission.')
}

/** `never` is a promise that force does not break: erasing is for what must go in spite of it. */
function requireForgettable({ deletion_policy: policy, pinned }: StoredRecord, force: boolean): void {
  if (policy === 'never') throw new AppError('deletion_policy_never', 'The record is never to be deleted.')
  if (pinned && !force) throw new AppError('record_pinned', 'The record is pinned.')
}
