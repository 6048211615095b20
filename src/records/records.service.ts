import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import { completePayload, NewPayload, type Payload } from '../domain/payloads/payloads.ts'
import { isHistory } from '../domain/schemas/vocabulary.ts'
import { type Caller, getRank, isOpenTo } from '../domain/trust/caller.ts'
import { listFaults } from '../http/validation/validation.ts'
import { AppError } from '../kernel/errors.ts'
import { presentRecord, presentSeen, presentWritten } from './answers/record-answer.ts'
import type { AuditQuery } from './audit-log/audit-log.schemas.ts'
import { readAuditLog } from './audit-log/audit-log.service.ts'
import { mergePatch } from './change/merge-patch.ts'
import { writeChange } from './change/record-change.service.ts'
import type { RecordPatch } from './change/record-patch.schemas.ts'
import { applyPatch } from './change/record-patch.ts'
import { createHistoryError, type Successors } from './change/successor-errors.ts'
import { findSuccessors } from './change/successors.service.ts'
import { type CreationResources, createRecordCreation } from './creation/record-creation.service.ts'
import { createInvalidError, findPayloadFaults } from './creation/record-draft.ts'
import { createForgottenError } from './deletion/gone-errors.ts'
import { type MoveContext, moveDerived } from './descent/derived-scope.service.ts'
import { raiseDerived } from './descent/derived-sensitivity.service.ts'
import { lockTombstonesExclusive } from './erasure/tombstones.queries.ts'
import { requireNotErasedContent } from './erasure/tombstones.service.ts'
import { createListing } from './listing/list.service.ts'
import { findVisibleRecord, loadForUpdate } from './reading/record-loading.service.ts'
import { findRecords } from './records.queries.ts'
import type { MemoryRecord, RedactedRecord, WrittenRecord } from './records.schemas.ts'
import type { StoredRecord } from './stored-record.ts'

export type RecordsService = ReturnType<typeof createRecordsService>

type Resources = CreationResources & {
  /** Computes the importance and layer of a changed record. A parameter, because this room must not import lifecycle/. */
  rescore(tx: Transaction, caller: Caller, changed: StoredRecord, now: Date): Promise<StoredRecord>
}

/** `tx`: the transaction of the caller. Who holds its connection must not wait for a second one of the pool. */
type Reading = { includeForgotten?: boolean; tx?: Transaction | undefined }

export function createRecordsService(resources: Resources) {
  const { db, clock, defaultSensitivity, textLanguage, seal, policies, rescore } = resources

  async function read(
    caller: Caller,
    id: string,
    { includeForgotten = false, tx }: Reading = {},
  ): Promise<MemoryRecord | RedactedRecord> {
    const stored = await findVisibleRecord(tx ?? db, caller, id)
    const isReadable = isOpenTo(caller.trust, stored.sensitivity)
    const now = clock.now()
    const isExpired = stored.purge_at !== null && stored.purge_at <= now
    if (stored.forgotten_at && (isExpired || !includeForgotten))
      throw createForgottenError(stored, { isReadable, now })
    return presentSeen(caller.trust, stored, now)
  }

  /** Those of the records that the caller reads in full and that are not forgotten, in the order of the ids. */
  async function listReadable(
    caller: Caller,
    ids: readonly string[],
    { tx }: Pick<Reading, 'tx'> = {},
  ): Promise<MemoryRecord[]> {
    if (ids.length === 0) return []
    const now = clock.now()
    const found = await findRecords(tx ?? db, ids, caller.trust)
    const readable = found.filter(
      (stored) => !stored.forgotten_at && isOpenTo(caller.trust, stored.sensitivity),
    )
    const byId = new Map(readable.map((stored) => [stored.id, presentRecord(stored, now)]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  async function patch(call: CallContext, id: string, input: RecordPatch): Promise<WrittenRecord> {
    return transact(db, call, async (tx) => {
      if (changesReaders(input)) await lockTombstonesExclusive(tx)
      const now = clock.now()
      const stored = await loadForUpdate(tx, call, id)
      const successors = await findSuccessors(tx, call.caller, [stored])
      const payload = mergePayload(stored, input.payload, successors)
      const known = await policies.getAll(tx)
      const { record, content, changes } = applyPatch(stored, input, payload, {
        caller: call.caller,
        now,
        defaultSensitivity,
        policies: known,
        successors,
      })
      if (Object.keys(changes).length === 0) return presentWritten(call.caller, stored, now)
      const newContent = { scope: record.scope ?? stored.scope, payload }
      if (content.payload || record.scope !== undefined) await requireNotErasedContent(tx, seal, newContent)
      const changed = await writeChange(tx, stored, {
        record,
        content,
        changes,
        textLanguage,
        now,
        action: 'revise',
        actor: call.caller.name,
        rationale: 'patched',
      })
      await changeDerived(
        tx,
        { before: stored, after: changed },
        { caller: call.caller, now, textLanguage, seal },
      )
      return presentWritten(call.caller, await rescore(tx, call.caller, changed, now), now)
    })
  }

  return {
    ...createRecordCreation(resources),
    read,
    listReadable,
    readAudit: (caller: Caller, id: string, page: AuditQuery) => readAuditLog(db, caller, id, page),
    patch,
    list: createListing(resources),
  }
}

function changesReaders({ sensitivity, scope }: RecordPatch): boolean {
  return sensitivity !== undefined || scope !== undefined
}

/** A caller that can no longer read a record can no longer read its words in the records that were made from it. */
async function changeDerived(
  tx: Transaction,
  { before, after }: { before: StoredRecord; after: StoredRecord },
  context: MoveContext,
): Promise<void> {
  const { caller, now, textLanguage } = context
  if (getRank(after.sensitivity) > getRank(before.sensitivity))
    await raiseDerived(tx, after.id, { actor: caller.name, now, textLanguage })
  if (after.scope !== before.scope) await moveDerived(tx, before, after.scope, context)
}

function mergePayload(
  stored: StoredRecord,
  patch: Record<string, unknown> | undefined,
  successors: Successors,
): Payload {
  if (patch === undefined) return stored.payload
  if (stored.type === 'episodic') {
    throw new AppError('episodic_immutable', 'The payload of an episodic record cannot be changed.')
  }
  if (stored.type !== 'working' && stored.type !== 'entity') {
    throw new AppError(
      'payload_immutable',
      'The payload of this type can only be changed by a revision, such as supersede.',
    )
  }
  if (isHistory(stored.status))
    throw createHistoryError(stored, successors, ', so its payload cannot be changed.')
  const merged = mergePatch(stored.payload, patch)
  const faults = listFaults(NewPayload, merged)
  if (faults.length > 0)
    throw createInvalidError(faults.map((fault) => ({ ...fault, pointer: `/payload${fault.pointer}` })))
  // The lines above checked that it is a payload.
  const payload = completePayload(merged as NewPayload)
  const payloadFaults = findPayloadFaults(stored.type, payload)
  if (payloadFaults.length > 0) throw createInvalidError(payloadFaults)
  return payload
}
