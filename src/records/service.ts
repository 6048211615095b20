import type { Database } from '../db/connection.ts'
import { violatedConstraint } from '../db/failures.ts'
import type { AuditAction } from '../db/schema.ts'
import { type Call, transact } from '../db/transaction.ts'
import { isOpenTo } from '../db/visibility.ts'
import { checkFaults } from '../http/validation.ts'
import { type Caller, isAllowed } from '../kernel/caller.ts'
import { AppError } from '../kernel/errors.ts'
import { amendRecord } from './amendment.ts'
import { findPayloadFaults, identifiersOf, invalid } from './creation/draft.ts'
import { type CreationResources, createCreation } from './creation/service.ts'
import { departed, gone } from './departures/departed.ts'
import { type DepartureRow, findDepartures } from './departures/queries.ts'
import { createListing } from './listing/service.ts'
import { withEntry } from './log.ts'
import { mergePatch } from './merging.ts'
import { completePayload, NewPayload, type Payload } from './payloads.ts'
import { presentRecord, redactRecord } from './presentation.ts'
import {
  appendAudit,
  deleteIdentifiers,
  findRecords,
  insertIdentifiers,
  lockRecords,
  updateContent,
  updateRecord,
} from './queries.ts'
import type { ContentRow, RecordRow, StoredRecord } from './rows.ts'
import type { MemoryRecord, RecordPatch, RedactedRecord, WrittenRecord } from './schemas.ts'
import { searchableText } from './searchable.ts'
import { refuseErasedContent } from './tombstones/service.ts'

export type RecordsService = ReturnType<typeof createRecordsService>

export function createRecordsService(resources: CreationResources) {
  const { db, clock, defaultSensitivity, textLanguage, seal } = resources
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
      const { record, content, changes } = amendRecord(stored, asked, payload, {
        ...{ caller: call.caller, now, defaultSensitivity },
      })
      if (Object.keys(changes).length === 0) return answerWritten(call.caller, stored, now)
      const said = { scope: record.scope ?? stored.scope, payload }
      if (content.payload || record.scope !== undefined) await refuseErasedContent(tx, seal, said)
      const changed = await writeChange(tx, stored, {
        ...{ record, content, changes, textLanguage, now },
        ...{ action: 'revise', actor: call.caller.name, rationale: 'patched' },
      })
      return answerWritten(call.caller, changed, now)
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

export type Change = {
  action: AuditAction
  actor: string
  rationale: string
  now: Date
  record?: Partial<RecordRow>
  content?: Partial<ContentRow>
  /** Field to [before, after]. */
  changes?: Record<string, unknown>
  textLanguage: string
}

/** Writes one change of a claimed record: its columns, its version and its log. Answers it as it now stands. */
export async function writeChange(tx: Database, stored: StoredRecord, change: Change): Promise<StoredRecord> {
  const { action, actor, rationale, now, content = {} } = change
  const entry = { action, actor, at: now, rationale, run_id: null, changes: change.changes ?? null }
  const record = { ...change.record, version: stored.version + 1, updated_at: now }
  const changed = { ...stored, ...record, ...content }
  await updateRecord(tx, stored.id, record)
  if (Object.keys(content).length > 0) {
    const search = { text: searchableText(changed.payload, changed.tags), language: change.textLanguage }
    await updateContent(tx, stored.id, content, search)
  }
  if (content.payload || change.record?.scope !== undefined) await writeIdentifiers(tx, changed)
  await appendAudit(tx, stored.id, entry)
  return { ...changed, audit_log: withEntry(stored.audit_log, entry) }
}

async function writeIdentifiers(tx: Database, { id, payload, scope }: StoredRecord): Promise<void> {
  if (payload.kind !== 'entity') return
  await deleteIdentifiers(tx, id)
  await insertIdentifiers(tx, id, identifiersOf(payload, scope)).catch(refuseTaken)
}

async function findSeenRecord(db: Database, caller: Caller, id: string): Promise<StoredRecord> {
  const [stored] = await findRecords(db, [id], caller.trust)
  if (stored) return stored
  throw (await refuseMissing(db, caller, [id]))(id)
}

/** A record that may be read whole, forgotten or not, or what remains of one. */
export async function findKnownRecord(
  db: Database,
  caller: Caller,
  id: string,
): Promise<StoredRecord | DepartureRow> {
  const [stored] = await findRecords(db, [id], caller.trust)
  const [known = stored] = stored ? [] : await findDepartures(db, [id], caller.trust)
  if (!known) throw missing()
  if (!isOpenTo(caller.trust, known.sensitivity)) throw aboveCeiling()
  return known
}

/** Why these are not there: each is no more, or never was this caller's. */
async function refuseMissing(db: Database, caller: Caller, ids: readonly string[]) {
  const departures = ids.length === 0 ? [] : await findDepartures(db, ids, caller.trust)
  const byId = new Map(departures.map((row) => [row.id, row]))
  return (id: string): AppError => {
    const row = byId.get(id.toLowerCase())
    return row ? departed(row, isOpenTo(caller.trust, row.sensitivity)) : missing()
  }
}

/** The way into every change of records: locked, seen whole, alive, and at the version the caller expects. */
export async function claimRecord(tx: Database, call: Call, id: string): Promise<StoredRecord> {
  const [claimed = missing()] = await claimRecords(tx, call, [id])
  if (claimed instanceof AppError) throw claimed
  return claimed
}

/** For each id, in the order asked, the claimed record or why it cannot be claimed. */
export async function claimRecords(
  tx: Database,
  call: Call,
  ids: readonly string[],
): Promise<(StoredRecord | AppError)[]> {
  await lockRecords(tx, ids)
  const found = await findRecords(tx, ids, call.caller.trust)
  const byId = new Map(found.map((stored) => [stored.id, stored]))
  const absent = ids.filter((id) => !byId.has(id.toLowerCase()))
  const refuse = await refuseMissing(tx, call.caller, absent)
  return ids.map((id) => {
    const stored = byId.get(id.toLowerCase())
    if (!stored) return refuse(id)
    return refuseClosed(call.caller, stored) ?? refuseVersion(call, stored) ?? stored
  })
}

/** As claimRecord, for what can be done to a forgotten record too. */
export async function claimAnyRecord(tx: Database, call: Call, id: string): Promise<StoredRecord> {
  await lockRecords(tx, [id])
  const stored = await findSeenRecord(tx, call.caller, id)
  if (!isOpenTo(call.caller.trust, stored.sensitivity)) throw aboveCeiling()
  const refusal = refuseVersion(call, stored)
  if (refusal) throw refusal
  return stored
}

function refuseVersion({ expectedVersion }: Call, { version }: StoredRecord): AppError | undefined {
  if (expectedVersion === undefined || expectedVersion === version) return undefined
  return new AppError('version_mismatch', 'The record is at another version.', { extra: { version } })
}

/** What may be linked to and changed is seen whole and alive. */
function refuseClosed(caller: Caller, stored: StoredRecord): AppError | undefined {
  if (!isOpenTo(caller.trust, stored.sensitivity)) return aboveCeiling()
  return stored.forgotten_at ? gone(stored, true) : undefined
}

/** A record that may be linked to. */
export async function findOpenRecord(db: Database, caller: Caller, id: string): Promise<StoredRecord> {
  const stored = await findSeenRecord(db, caller, id)
  const refusal = refuseClosed(caller, stored)
  if (refusal) throw refusal
  return stored
}

function missing(): AppError {
  return new AppError('record_not_found', 'There is no such record.')
}

function aboveCeiling(): AppError {
  return new AppError('above_ceiling', 'The key sees this record only redacted.')
}

/** A key that may not read is told no more of its own write than that it was written. */
export function answerWritten(caller: Caller, stored: StoredRecord, now: Date): WrittenRecord {
  if (isAllowed(caller, 'records:read')) return presentRecord(stored, now)
  return { id: stored.id, version: stored.version }
}

function mergePayload(stored: StoredRecord, patch: Record<string, unknown> | undefined): Payload {
  if (patch === undefined) return stored.payload
  if (stored.type === 'episodic') {
    throw new AppError('episodic_immutable', 'The payload of an episode does not change.')
  }
  if (stored.type !== 'working' && stored.type !== 'entity') {
    throw new AppError('payload_immutable', 'The payload of this type changes through revision.')
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

function refuseTaken(error: unknown): never {
  if (violatedConstraint(error) !== 'entity_identifiers_taken') throw error
  throw new AppError('identifier_taken', 'Another entity of this scope has this identifier.')
}
