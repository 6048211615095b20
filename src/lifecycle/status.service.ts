import Type from 'typebox'
import type { Database } from '../db/connection.ts'
import type { RecordStatus } from '../db/schema.ts'
import { type CallContext, transact } from '../db/transaction.ts'
import type { Caller } from '../domain/caller.ts'
import { type ListPage, RowNumber } from '../domain/shapes.ts'
import { mayBeSet, mayRevertTo } from '../domain/status.ts'
import { readPage } from '../http/paging.ts'
import type { Clock } from '../kernel/clock.ts'
import {
  findRecordOrDeleted,
  invalidTransition,
  loadForUpdate,
  presentVia,
  presentWritten,
  reactivateRecord,
  type StatusMove,
  type StoredRecord,
  type WrittenRecord,
  writeChange,
} from '../records/index.ts'
import { findLastStep, findSalienceBeforeRevision, listStatusChanges } from './status.queries.ts'
import type { StatusChange, StatusHistoryQuery, Transition } from './status.schemas.ts'

type Resources = { db: Database; clock: Clock; textLanguage: string }

export type StatusService = ReturnType<typeof createStatusService>

const StatusCursor = Type.Object({ id: RowNumber() })

export function createStatusService({ db, clock, textLanguage }: Resources) {
  async function move(call: CallContext, id: string, input: Transition): Promise<WrittenRecord> {
    const { status: to, reason, actor } = input
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const stored = await loadForUpdate(tx, call, id)
      const status = await requireMove(tx, stored, to)
      const isReinstated = stored.status === 'invalidated' && to === 'active'
      const changed = await writeChange(tx, stored, {
        ...{ action: 'status', actor, rationale: reason, now, textLanguage },
        status,
        ...(isReinstated ? await restoreSalience(tx, stored, now) : {}),
      })
      return presentWritten(call.caller, changed, now)
    })
  }

  /** An earlier version let a request set merged and superseded. Such a record can be set active again. */
  async function requireMove(tx: Database, stored: StoredRecord, to: RecordStatus): Promise<StatusMove> {
    if (mayBeSet(stored.status, to)) return { to, step: 'manual' }
    if (mayRevertTo(stored.status, to) && (await findLastStep(tx, stored.id)) === 'manual') {
      return { to, step: 'revert', reverts: true }
    }
    throw invalidTransition(stored, to)
  }

  async function restoreSalience(tx: Database, stored: StoredRecord, now: Date) {
    return reactivateRecord(stored, await findSalienceBeforeRevision(tx, stored.id), now)
  }

  /**
   * The history outlives its record, like the audit log. It stays hidden from a key that sees the record redacted.
   */
  async function readHistory(
    caller: Caller,
    id: string,
    { limit = 100, cursor }: StatusHistoryQuery,
  ): Promise<ListPage<StatusChange>> {
    const known = await findRecordOrDeleted(db, caller, id)
    const { items, ...next } = await readPage({
      ...{ caller, list: { statusHistory: known.id }, limit, cursor, position: StatusCursor },
      read: (after, most) =>
        listStatusChanges(db, {
          ...{ id: known.id, trust: caller.trust },
          ...{ after: after?.id ?? 0, limit: most },
        }),
    })
    return {
      items: items.map(({ id: _, run_id: _run, at, via, ...rest }) => ({
        ...{ ...rest, changed_at: at.toISOString() },
        ...presentVia(via),
      })),
      ...next,
    }
  }

  return { move, readHistory }
}
