import { type Call, transact } from '../db/transaction.ts'
import { isOpenTo } from '../db/visibility.ts'
import { checkFaults } from '../http/validation.ts'
import { AppError } from '../kernel/errors.ts'
import { amendRecord } from './amendment.ts'
import { writeChange } from './changing/service.ts'
import { claimRecord, findKnownRecord, findSeenRecord } from './claiming/service.ts'
import { findPayloadFaults, invalid } from './creation/draft.ts'
import { type CreationResources, createCreation } from './creation/service.ts'
import { gone } from './departures/departed.ts'
import { createListing } from './listing/service.ts'
import { mergePatch } from './merging.ts'
import { completePayload, NewPayload, type Payload } from './payloads.ts'
import { answerWritten, presentRecord, redactRecord } from './presentation.ts'
import { weighRecord } from './promoting/service.ts'
import type { StoredRecord } from './rows.ts'
import type { MemoryRecord, RecordPatch, RedactedRecord, WrittenRecord } from './schemas.ts'
import { refuseErasedContent } from './tombstones/service.ts'
import { isHistory } from './vocabulary.ts'

export type RecordsService = ReturnType<typeof createRecordsService>

export function createRecordsService(resources: CreationResources) {
  const { db, clock, defaultSensitivity, textLanguage, seal, policies } = resources
  const listing = createListing(resources)

  async function read(
    call: Call,
    id: string,
    { includeForgotten = false } = {},
  ): Promise<MemoryRecord | RedactedRecord> {
    const stored = await findSeenRecord(call.tx ?? db, call.caller, id)
    const isOpen = isOpenTo(call.caller.trust, stored.sensitivity)
    const now = clock.now()
    const isOver = stored.purge_at !== null && stored.purge_at <= now
    if (stored.forgotten_at && (isOver || !includeForgotten)) throw gone(stored, isOpen, now)
    return isOpen ? presentRecord(stored, now) : redactRecord(stored, now)
  }

  /** The log outlives its record. Of one that is seen only redacted it stays closed: its rationales are content. */
  async function readAudit(call: Call, id: string, page: { limit?: number; cursor?: string }) {
    const known = await findKnownRecord(call.tx ?? db, call.caller, id)
    return listing.pageAudit(call, known.id, page)
  }

  async function patch(call: Call, id: string, asked: RecordPatch): Promise<WrittenRecord> {
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const stored = await claimRecord(tx, call, id)
      const payload = mergePayload(stored, asked.payload)
      const known = await policies.recall(tx)
      const { record, content, changes } = amendRecord(stored, asked, payload, {
        ...{ caller: call.caller, now, defaultSensitivity, policies: known },
      })
      if (Object.keys(changes).length === 0) return answerWritten(call.caller, stored, now)
      const said = { scope: record.scope ?? stored.scope, payload }
      if (content.payload || record.scope !== undefined) await refuseErasedContent(tx, seal, said)
      const changed = await writeChange(tx, stored, {
        ...{ record, content, changes, textLanguage, now },
        ...{ action: 'revise', actor: call.caller.name, rationale: 'patched' },
      })
      return answerWritten(call.caller, await weighRecord(tx, call.caller, changed, now), now)
    })
  }

  return {
    ...createCreation(resources),
    read,
    readAudit,
    patch,
    list: listing.list,
  }
}

function mergePayload(stored: StoredRecord, patch: Record<string, unknown> | undefined): Payload {
  if (patch === undefined) return stored.payload
  if (stored.type === 'episodic') {
    throw new AppError('episodic_immutable', 'The payload of an episode does not change.')
  }
  if (stored.type !== 'working' && stored.type !== 'entity') {
    throw new AppError('payload_immutable', 'The payload of this type changes through revision.')
  }
  if (isHistory(stored.status)) {
    throw new AppError('record_retracted', `The record is ${stored.status}: its payload no longer changes.`)
  }
  const merged = mergePatch(stored.payload, patch)
  const faults = checkFaults(NewPayload, merged)
  if (faults.length > 0)
    throw invalid(faults.map((fault) => ({ ...fault, pointer: `/payload${fault.pointer}` })))
  // Checked by the line above.
  const payload = completePayload(merged as NewPayload)
  const broken = findPayloadFaults(stored.type, payload)
  if (broken.length > 0) throw invalid(broken)
  return payload
}
