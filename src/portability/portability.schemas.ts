import type { Readable } from 'node:stream'
import Type, { type Static, type TSchema } from 'typebox'
import { Scope, TypeOf } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, Time, Uuid } from '../domain/schemas/shapes.ts'
import { MemoryRecord, NewRecord, NewRelation, RelationFields } from '../records/index.ts'
import { Anchors, Count, historyFields, KnownBy, PastStatuses } from './kept-history.schemas.ts'

const optional = Type.Optional
const handles = { description: 'The names by which the record is found, as digests.' }

/** The schema of a response whose lines each match `schema`. */
export function lines<T extends TSchema>(schema: T) {
  return Type.Unsafe<string | Readable>(ref(schema))
}

export const ExportedRecord = closed(
  {
    ...MemoryRecord.properties,
    relations: Type.Array(MemoryRecord.properties.relations.items, {
      description:
        'Oldest first. At most 1,000 inverse relations are included: the record at the other end has them as well.',
    }),
    audit_log: Type.Array(MemoryRecord.properties.audit_log.items, {
      description: 'All entries, oldest first.',
    }),
    anchors: ref(Anchors),
    status_history: PastStatuses,
    handles: Type.Array(KnownBy, handles),
    ...historyFields,
  },
  { $id: 'ExportedRecord', description: 'One line of an export.' },
)

const { properties: answered } = MemoryRecord
const { properties: newRecordFields } = NewRecord

/** Fields that only an admin may import, because they can forge the history of a record. */
const reservedFields = {
  updated_at: optional(answered.updated_at),
  version: optional(Count('The version of the record.', 1)),
  audit_log: optional(Type.Array(answered.audit_log.items, { description: 'All entries, oldest first.' })),
  status: optional(answered.status),
  importance: optional(answered.importance),
  access_count: optional(Count('How often the record was used or served.')),
  last_accessed_at: answered.last_accessed_at,
  confirmation_count: optional(Count('How often other sources confirmed the record.')),
  forgotten: answered.forgotten,
  anchors: optional(ref(Anchors)),
  status_history: optional(PastStatuses),
  handles: optional(Type.Array(KnownBy, { ...handles, maxItems: 100_000 })),
  ...historyFields,
}

export const ImportedRecord = closed(
  {
    ...newRecordFields,
    relations: optional(
      Type.Array(
        closed({
          ...NewRelation.properties,
          // An export of an earlier version may have every predicate.
          predicate: RelationFields.predicate,
          created_at: optional(Time({ description: 'When it was made. Default: now.' })),
        }),
        { description: 'Relations from the record to others. Targets may be records of later lines.' },
      ),
    ),
    ...reservedFields,
  },
  {
    $id: 'ImportedRecord',
    description: 'One line of an import: a record in the form of `POST /v1/records`, or a line of an export.',
    examples: [
      {
        type: 'semantic',
        payload: { kind: 'semantic', subject: 'user', predicate: 'prefers_language', object: 'Go' },
      },
    ],
  },
)
export type ImportedRecord = Static<typeof ImportedRecord>

/** `redacted` is refused for every caller, but a caller without `admin` gets `forbidden`. */
export const reservedNames: ReadonlySet<string> = new Set([...Object.keys(reservedFields), 'redacted'])

export const ExportQuery = closed({
  scope: optional(Scope('Only records of this scope.')),
  type: optional(TypeOf('Only records of this type.')),
  updated_after: optional(Time({ description: 'Only records that changed after this time.' })),
  include_forgotten: optional(
    Type.Boolean({ description: 'Also export forgotten records that can still be restored.' }),
  ),
  embeddings: optional(Type.Boolean({ description: 'Also export the vectors of each record.' })),
  after: optional(Uuid({ description: 'Continue after the record with this id.' })),
})
export type ExportQuery = Static<typeof ExportQuery>
