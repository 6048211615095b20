import type { Database } from '../../db/connection.ts'
import type { RecordStatus } from '../../db/schema.ts'
import { type CallContext, type Transaction, transact } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { mayBeSet, mayRevertTo } from '../../domain/lifecycle/status.ts'
import { isHistory } from '../../domain/schemas/vocabulary.ts'
import type { Clock } from '../../kernel/clock.ts'
import {
  createTransitionError,
  findSuccessors,
  loadForUpdate,
  lockTombstonesShared,
  presentWritten,
  reactivateRecord,
  requireNotErasedContent,
  type StatusMove,
  type StoredRecord,
  type WrittenRecord,
  writeChange,
} from '../../records/index.ts'
import { findLastStep, findSalienceBeforeRevision } from './status.queries.ts'
import type { Transition } from './status.schemas.ts'

type Resources = {
  db: Database
  clock: Clock
  seal: Seal
  textLanguage: string
  /** Retires what a dream wrote from a withdrawn record. A parameter, because this room must not import revision/. */
  retireQuoting(
    tx: Transaction,
    sourceId: string,
    reason: { actor: string; now: Date; textLanguage: string },
  ): Promise<void>
}

export type StatusService = ReturnType<typeof createStatusService>

export function createStatusService({ db, clock, seal, textLanguage, retireQuoting }: Resources) {
  async function move(call: CallContext, id: string, input: Transition): Promise<WrittenRecord> {
    const { status: to, reason, actor } = input
    return transact(db, call, async (tx) => {
      await lockTombstonesShared(tx)
      const now = clock.now()
      const stored = await loadForUpdate(tx, call, id)
      const status = await requireMove({ ...call, tx }, stored, to)
      if (isHistory(stored.status) && !isHistory(to)) await requireNotErasedContent(tx, seal, stored)
      const isReinstated = stored.status === 'invalidated' && to === 'active'
      const changed = await writeChange(tx, stored, {
        action: 'status',
        actor,
        rationale: reason,
        now,
        textLanguage,
        status,
        ...(isReinstated ? await restoreSalience(tx, stored, now) : {}),
      })
      if (to === 'invalidated') await retireQuoting(tx, id, { actor, now, textLanguage })
      return presentWritten(call.caller, changed, now)
    })
  }

  /** An earlier version let a request set merged and superseded. Such a record can be set active again. */
  async function requireMove(
    { tx, caller }: CallContext & { tx: Transaction },
    stored: StoredRecord,
    to: RecordStatus,
  ): Promise<StatusMove> {
    if (mayBeSet(stored.status, to)) return { to, step: 'manual' }
    if (mayRevertTo(stored.status, to) && (await findLastStep(tx, stored.id)) === 'manual') {
      return { to, step: 'revert', reverts: true }
    }
    throw createTransitionError(stored, to, await findSuccessors(tx, caller, [stored]))
  }

  async function restoreSalience(tx: Transaction, stored: StoredRecord, now: Date) {
    return reactivateRecord(stored, await findSalienceBeforeRevision(tx, stored.id), now)
  }

  return { move }
}
