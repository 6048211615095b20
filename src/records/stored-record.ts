import type { Selectable } from 'kysely'
import type { AuditAction, Contents, Records, StatusChanges } from '../db/schema.ts'
import type { Edge } from '../domain/edges/edges.ts'
import type { Handle } from '../domain/identity/handles.ts'
import type { Payload } from '../domain/payloads/payloads.ts'
import type { Sensitivity } from '../domain/trust/caller.ts'
import type { Descent, NamedSources } from './descent/descents.ts'
import type { Provenance } from './provenance.schemas.ts'
import type { MemoryRecord } from './records.schemas.ts'

/** The types of rows that SQL returns. JSON columns have their payload types, because only checked JSON is stored. */

/** Without generated columns and without columns that only SQL reads. */
export type RecordRow = Omit<
  Selectable<Records>,
  'decay_rank' | 'fades_at' | 'demoted_at' | 'restored_at' | 'revealed' | 'worth'
>

export type ContentRow = Pick<Selectable<Contents>, 'tags'> & {
  payload: Payload
  provenance: Provenance
  interpretation: MemoryRecord['interpretation'] | null
}

export type RelationRow = { predicate: string; target_id: string; weight: number; created_at: Date | string }

export type AuditRow = {
  action: AuditAction
  actor: string
  at: Date | string
  rationale: string
  run_id: string | null
  /** The revision that wrote the entry. Absent while the entry is being written. */
  operation_id?: string | null
  changes: unknown
  /** The key behind the entry; null for the service itself. */
  via: unknown
}

export type StatusChangeRow = Omit<Selectable<StatusChanges>, 'record_id' | 'id'>

/** A record with everything that an answer about it needs. */
export type StoredRecord = RecordRow &
  ContentRow & {
    relations: readonly RelationRow[]
    audit_log: readonly AuditRow[]
    /** Ids in its content that name records hidden from the reader. Absent if the statement did not select them. */
    hiddenIds?: readonly string[]
  }

/** Unique in a scope and sensitivity: a conflict with a hidden entity would reveal that entity. */
export type Identifier = { scope: string; sensitivity: Sensitivity; namespace: string; value: string }

/** A record that is not stored yet, with the rows of other tables that are written with it. */
export type Draft = {
  row: RecordRow & ContentRow
  /** The judgement behind the base importance, as it is stored; null for an imported record without one. */
  worth: Buffer | null
  searchText: string
  edges: readonly Edge[]
  /** The records that the service derived it from, and other descents that the same operation creates. */
  descents: readonly Descent[]
  /** The sources that the body names. */
  namedSources: NamedSources
  identifiers: readonly Identifier[]
  handles: readonly Handle[]
  /** The client chose the id, so a deleted record may have had it. */
  hasClientId: boolean
  audit: Omit<AuditRow, 'at'> & { at: Date }
  /** The result of `writeRow` for it, where it was written before the transaction. */
  written?: string
}
