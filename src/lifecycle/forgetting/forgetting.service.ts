import type { Database } from '../../db/connection.ts'
import { type CallContext, transact } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { type Caller, isAllowed } from '../../domain/trust/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { addMilliseconds } from '../../kernel/units.ts'
import {
  createForgottenError,
  forgetRecord,
  loadAnyForUpdate,
  loadForUpdate,
  lockTombstonesShared,
  presentWritten,
  requireNotErasedContent,
  restoreRecord,
  type StoredRecord,
  type WrittenRecord,
  writeChange,
} from '../../records/index.ts'
import { insertUse } from '../access/access.queries.ts'
import { rescoreAndPromoteRecord } from '../promotion/promotion.service.ts'
import type { DeletionQuery, Restoration } from './forgetting.schemas.ts'

type Resources = {
  db: Database
  clock: Clock
  seal: Seal
  textLanguage: string
  forgottenRetentionMs: number
}

export type ForgettingService = ReturnType<typeof createForgettingService>

export function createForgettingService(resources: Resources) {
  const { db, clock, seal, textLanguage, forgottenRetentionMs } = resources
  /**
   * Removes the record from every list and retrieval at once. The row stays until `purge_at`, so that it can be
   * restored.
   */
  async function forget(call: CallContext, id: string, input: DeletionQuery): Promise<WrittenRecord> {
    const { actor, rationale, force = false } = input
    if (force) requireForce(call.caller)
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const stored = await loadForUpdate(tx, call, id)
      requireForgettable(stored, force)
      const changed = await writeChange(tx, stored, {
        action: 'delete',
        actor,
        rationale,
        now,
        textLanguage,
        ...forgetRecord(actor, now, addMilliseconds(now, forgottenRetentionMs)),
      })
      return presentWritten(call.caller, changed, now)
    })
  }

  /** Possible until `purge_at`, even when the purge runs later than that. */
  async function restore(
    call: CallContext,
    id: string,
    { actor, rationale }: Restoration,
  ): Promise<WrittenRecord> {
    return transact(db, call, async (tx) => {
      await lockTombstonesShared(tx)
      const now = clock.now()
      const stored = await loadAnyForUpdate(tx, call, id)
      if (!stored.forgotten_at || !stored.purge_at) {
        throw new AppError('record_not_forgotten', 'The record is not forgotten.')
      }
      if (stored.purge_at <= now) throw createForgottenError(stored, { isReadable: true, now })
      await requireNotErasedContent(tx, seal, stored)
      const changed = await writeChange(tx, stored, {
        action: 'restore',
        actor,
        rationale,
        now,
        textLanguage,
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
  throw new AppError('forbidden', 'force needs the permission admin.')
}

/** `force` does not override the policy `never`. A record that must go in spite of it is erased. */
function requireForgettable({ deletion_policy: policy, pinned }: StoredRecord, force: boolean): void {
  if (policy === 'never')
    throw new AppError('deletion_policy_never', 'The deletion policy of the record is never.')
  if (pinned && !force) throw new AppError('record_pinned', 'The record is pinned.')
}
