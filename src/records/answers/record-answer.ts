import type { Edge } from '../../domain/edges/edges.ts'
import { computeSalience } from '../../domain/lifecycle/curves.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import { type Caller, isAllowed, isOpenTo, presentScope, type Trust } from '../../domain/trust/caller.ts'
import { compareTexts } from '../../kernel/text-order.ts'
import type { AuditEntry } from '../audit-log/audit-log.schemas.ts'
import type { Relation } from '../provenance.schemas.ts'
import type { MemoryRecord, RedactedRecord, WrittenRecord } from '../records.schemas.ts'
import type { AuditRow, Draft, RelationRow, StoredRecord } from '../stored-record.ts'
import { presentVia } from '../via.ts'
import { removeHiddenReferences } from './hidden-references.ts'

/** The record as the API shows it, with its salience at `now`. */
export function presentRecord(stored: StoredRecord, now: Date): MemoryRecord {
  const shown = removeHiddenReferences(stored)
  return {
    ...presentCommonFields(stored, now),
    version: stored.version,
    lifecycle: presentLifecycle(stored),
    provenance: shown.provenance,
    relations: stored.relations.map(presentRelation),
    payload: presentPayload({ ...stored, payload: shown.payload }),
    ...(shown.interpretation ? { interpretation: shown.interpretation } : {}),
    audit_log: stored.audit_log.map(presentAuditEntry),
    layer: stored.layer,
    memory_kind: stored.memory_kind,
    status: stored.status,
    importance: stored.importance,
    base_importance: stored.base_importance,
    access_count: stored.access_count,
    ...(stored.last_accessed_at ? { last_accessed_at: stored.last_accessed_at.toISOString() } : {}),
    source_type: stored.source_type,
    emotional_valence: stored.emotional_valence,
    confirmation_count: stored.confirmation_count,
    ...presentForgotten(stored),
  }
}

/** The answer to a write. A key without `records:read` gets only the id and the version. */
export function presentWritten(caller: Caller, stored: StoredRecord, now: Date): WrittenRecord {
  if (isAllowed(caller, 'records:read')) return presentRecord(stored, now)
  return { id: stored.id, version: stored.version }
}

/** The answer to a create. Equals what a read would return, without reading the record again. */
export function presentCreated(
  caller: Caller,
  { row, audit }: Draft,
  edges: readonly Edge[],
  now: Date,
): WrittenRecord {
  return presentWritten(caller, { ...row, relations: sortEdges(edges), audit_log: [audit] }, now)
}

/** Oldest first, then by target and predicate: the order in which SQL reads them. */
function sortEdges(edges: readonly Edge[]): Edge[] {
  return [...edges].sort(
    (left, right) =>
      left.created_at.getTime() - right.created_at.getTime() ||
      compareTexts(left.target_id, right.target_id) ||
      compareTexts(left.predicate, right.predicate),
  )
}

/** The record as a key sees it: redacted if it is one level above the ceiling of the key. */
export function presentSeen(trust: Trust, stored: StoredRecord, now: Date): MemoryRecord | RedactedRecord {
  return isOpenTo(trust, stored.sensitivity) ? presentRecord(stored, now) : redactRecord(stored, now)
}

/** That the record exists, but no content. */
function redactRecord(stored: StoredRecord, now: Date): RedactedRecord {
  return { ...presentCommonFields(stored, now), redacted: true }
}

/** Whether a key sees the record with its content. */
export function isWhole(record: MemoryRecord | RedactedRecord): record is MemoryRecord {
  return !('redacted' in record)
}

/** The fields of a full and of a redacted record. */
function presentCommonFields(stored: StoredRecord, now: Date): Omit<RedactedRecord, 'redacted'> {
  return {
    id: stored.id,
    type: stored.type,
    sensitivity: stored.sensitivity,
    confidence: stored.confidence,
    salience: computeSalience(stored, now),
    ...presentScope(stored.scope),
    tags: stored.tags,
    created_at: stored.created_at.toISOString(),
    updated_at: stored.updated_at.toISOString(),
  }
}

function presentLifecycle(stored: StoredRecord): MemoryRecord['lifecycle'] {
  return {
    decay: {
      curve: stored.curve,
      half_life_seconds: stored.half_life_seconds,
      min_salience: stored.min_salience,
      max_age_seconds: stored.max_age_seconds,
      reinforcement_gain: stored.reinforcement_gain,
      max_salience: stored.max_salience,
    },
    last_reinforced_at: stored.last_reinforced_at.toISOString(),
    pinned: stored.pinned,
    deletion_policy: stored.deletion_policy,
  }
}

/** Names the successor only to a caller that sees the edge to it. */
function presentPayload({ payload, status, relations }: StoredRecord): Payload {
  if (payload.kind !== 'semantic' || status !== 'superseded' || !payload.revision) return payload
  const { superseded_by: successor, ...revision } = payload.revision
  const isVisible = relations.some(
    (edge) => edge.predicate === 'superseded_by' && edge.target_id === successor,
  )
  return isVisible ? payload : { ...payload, revision }
}

function presentForgotten(stored: StoredRecord): Pick<MemoryRecord, 'forgotten'> {
  const { forgotten_at: at, forgotten_reason: reason, forgotten_by: actor, purge_at: purgeAt } = stored
  if (!at || reason === null || actor === null || !purgeAt) return {}
  const run = stored.forgotten_run_id === null ? {} : { run_id: stored.forgotten_run_id }
  return { forgotten: { at: at.toISOString(), reason, actor, ...run, purge_at: purgeAt.toISOString() } }
}

function presentRelation(row: RelationRow): Relation {
  return {
    predicate: row.predicate,
    target_id: row.target_id,
    weight: row.weight,
    created_at: new Date(row.created_at).toISOString(),
  }
}

export function presentAuditEntry(row: AuditRow): AuditEntry {
  return {
    action: row.action,
    actor: row.actor,
    timestamp: new Date(row.at).toISOString(),
    rationale: row.rationale,
    ...(row.run_id === null ? {} : { run_id: row.run_id }),
    ...(row.operation_id ? { operation_id: row.operation_id } : {}),
    ...(row.changes === null ? {} : { changes: row.changes as AuditEntry['changes'] & object }),
    ...presentVia(row.via),
  }
}
