import type { Selectable } from 'kysely'
import type { AuditAction, Contents, Records, StatusChanges } from '../db/schema.ts'
import type { Sensitivity } from '../domain/caller.ts'
import type { Edge } from '../domain/edges.ts'
import type { Handle } from '../domain/handles.ts'
import type { Payload } from '../domain/payloads.ts'
import type { Descent, NamedSources } from './descents.ts'
import type { MemoryRecord, Provenance } from './records.schemas.ts'

/** The shapes between SQL and the rules. JSON columns have their meaning here: only checked JSON is stored. */

/** Without what the database works out itself, and what only SQL asks for. */
export type RecordRow = Omit<Selectable<Records>, 'decay_rank' | 'fades_at' | 'demoted_at'>

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
  changes: unknown
  /** The key behind the entry; null for the service itself. */
  via: unknown
}

export type StatusChangeRow = Omit<Selectable<StatusChanges>, 'record_id' | 'id'>

/** Everything one answered record is made of. */
export type StoredRecord = RecordRow &
  ContentRow & {
    relations: readonly RelationRow[]
    audit_log: readonly AuditRow[]
    /** Ids in its contents of records that the reader does not see whole; absent where it was not read. */
    concealed?: readonly string[]
  }

/** Apart by scope and sensitivity: one that is taken where the caller cannot see is free here. */
export type Identifier = { scope: string; sensitivity: Sensitivity; namespace: string; value: string }

/** A record not yet stored, with all that is written beside it. */
export type Draft = {
  row: RecordRow & ContentRow
  searchText: string
  edges: readonly Edge[]
  /** What the service made it from, and what else came to rest on it by the same act. */
  descents: readonly Descent[]
  /** What the body says that it rests on. */
  namedSources: NamedSources
  identifiers: readonly Identifier[]
  handles: readonly Handle[]
  /** The id is the client's choice, and so could have been another record's once. */
  hasClientId: boolean
  audit: Omit<AuditRow, 'at'> & { at: Date }
}
