import Type, { type Static, type TSchema } from 'typebox'
import { maxSalience } from '../domain/curves.ts'
import { Interpretation } from '../domain/interpretation.ts'
import { Curve, Decay, DeletionPolicy, Lifecycle, NewLifecycle } from '../domain/lifecycle.ts'
import { NewPayload, Payload } from '../domain/payloads.ts'
import { ref } from '../domain/schema-ref.ts'
import { closed, listOf, notNilPattern, Time, Unit, Uuid } from '../domain/shapes.ts'
import { Layer, MemoryKind, RecordType, Sensitivity, SourceType, Status } from '../domain/vocabulary.ts'
import { Problem } from '../http/problem-responses.ts'
import { AuditEntry } from './audit-entry.schemas.ts'

/** Pages and batches start after the nil UUID, so a record with that id would never be read. */
const NewId = () =>
  Uuid({
    pattern: notNilPattern,
    description: 'Any UUID except the nil UUID. The service generates one if it is absent.',
  })
const Scope = () => Type.String({ minLength: 1, maxLength: 256 })
const Tags = () => Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 100 })
const Salience = () => Type.Number({ minimum: 0, maximum: maxSalience })
const Valence = () => Type.Number({ minimum: -1, maximum: 1 })
export const Provenance = closed(
  {
    sources: Type.Array(
      closed({
        kind: Type.Enum(['event', 'artifact', 'tool_call', 'observation', 'outcome']),
        ref: Type.String({ minLength: 1, maxLength: 2_048 }),
        hash: Type.Optional(Type.String({ maxLength: 1_024 })),
        created_by: Type.Optional(Type.String({ maxLength: 256 })),
        timestamp: Type.Optional(Time()),
      }),
      { minItems: 1, maxItems: 10_000 },
    ),
    created_by: Type.Optional(Type.String({ maxLength: 256 })),
  },
  { $id: 'Provenance' },
)
export type Provenance = Static<typeof Provenance>

export const Relation = closed(
  {
    predicate: Type.String({ minLength: 1, maxLength: 128 }),
    target_id: Uuid(),
    weight: Unit(),
    created_at: Time(),
  },
  { $id: 'Relation' },
)
export type Relation = Static<typeof Relation>

export const maxNewRelations = 10_000
const NewRelation = closed(
  {
    predicate: Relation.properties.predicate,
    target_id: Uuid(),
    weight: Type.Optional(Unit({ description: 'Default 1.' })),
    created_at: Type.Optional(Time({ description: 'Not in the future; default now.' })),
  },
  { $id: 'NewRelation' },
)

const Forgotten = closed({
  at: Time(),
  reason: Type.String(),
  actor: Type.String(),
  run_id: Type.Optional(Uuid()),
  purge_at: Time(),
})

export const MemoryRecord = closed(
  {
    id: Uuid(),
    type: RecordType,
    sensitivity: Sensitivity,
    confidence: Unit(),
    salience: Type.Number({ minimum: 0, description: 'The salience at the time of the answer.' }),
    scope: Type.Optional(Scope()),
    tags: Tags(),
    created_at: Time(),
    updated_at: Time(),
    version: Type.Integer({ minimum: 1 }),
    lifecycle: ref(Lifecycle),
    provenance: ref(Provenance),
    relations: Type.Array(ref(Relation), {
      description: 'Oldest first, at most 1,000. `/v1/records/{id}/relations` lists all of them.',
    }),
    payload: ref(Payload),
    interpretation: Type.Optional(ref(Interpretation)),
    audit_log: Type.Array(ref(AuditEntry), { description: 'The newest 50, oldest first.' }),
    layer: Layer,
    memory_kind: MemoryKind,
    status: Status,
    importance: Unit(),
    base_importance: Unit(),
    access_count: Type.Integer({ minimum: 0 }),
    last_accessed_at: Type.Optional(Time()),
    source_type: SourceType,
    emotional_valence: Valence(),
    confirmation_count: Type.Integer({ minimum: 0 }),
    forgotten: Type.Optional(Forgotten),
  },
  { $id: 'Record' },
)
export type MemoryRecord = Static<typeof MemoryRecord>

export const RedactedRecord = closed(
  {
    ...Type.Pick(MemoryRecord, ['id', 'type', 'sensitivity', 'confidence', 'salience', 'scope', 'tags'])
      .properties,
    created_at: Time(),
    updated_at: Time(),
    redacted: Type.Literal(true),
  },
  {
    $id: 'RedactedRecord',
    description: 'What a key sees of a record that is one level above its ceiling.',
  },
)
export type RedactedRecord = Static<typeof RedactedRecord>

export const SeenRecord = Type.Union([ref(MemoryRecord), ref(RedactedRecord)], { $id: 'SeenRecord' })

export const RecordReceipt = closed(
  { id: Uuid(), version: Type.Integer({ minimum: 1 }) },
  {
    $id: 'RecordReceipt',
    description: 'The answer to a write by a key without the permission records:read.',
  },
)
export const WrittenRecord = Type.Union([ref(MemoryRecord), ref(RecordReceipt)], { $id: 'WrittenRecord' })
export type WrittenRecord = Static<typeof MemoryRecord> | Static<typeof RecordReceipt>

const exampleRecord = {
  type: 'semantic',
  tags: ['preference'],
  payload: { kind: 'semantic', subject: 'user', predicate: 'prefers_language', object: 'Go' },
}

export const NewRecord = closed(
  {
    id: Type.Optional(NewId()),
    type: RecordType,
    sensitivity: Type.Optional(Sensitivity),
    confidence: Type.Optional(Unit()),
    salience: Type.Optional(Salience()),
    scope: Type.Optional(Scope()),
    tags: Type.Optional(Tags()),
    created_at: Type.Optional(Time({ description: 'Not in the future; default now.' })),
    lifecycle: Type.Optional(ref(NewLifecycle)),
    provenance: Type.Optional(ref(Provenance)),
    relations: Type.Optional(Type.Array(ref(NewRelation), { maxItems: maxNewRelations })),
    payload: ref(NewPayload),
    interpretation: Type.Optional(ref(Interpretation)),
    base_importance: Type.Optional(
      Unit({ description: 'Default: judged from the content; `/explain` shows how.' }),
    ),
    emotional_valence: Type.Optional(Valence()),
    layer: Type.Optional(Layer),
    memory_kind: Type.Optional(MemoryKind),
    source_type: Type.Optional(SourceType),
  },
  {
    $id: 'NewRecord',
    examples: [exampleRecord],
  },
)
export type NewRecord = Static<typeof NewRecord>

const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** RFC 7396: null resets a field to its default, and a field of the lifecycle to the policy of the type. */
export const RecordPatch = closed(
  {
    tags: orNull(Tags()),
    scope: orNull(Scope()),
    sensitivity: orNull(Sensitivity),
    confidence: orNull(Unit()),
    lifecycle: Type.Optional(
      closed({
        decay: Type.Optional(
          closed({
            curve: orNull(Curve),
            half_life_seconds: orNull(Decay.properties.half_life_seconds),
            min_salience: orNull(Unit()),
            max_age_seconds: orNull(Decay.properties.max_age_seconds),
            reinforcement_gain: orNull(Decay.properties.reinforcement_gain),
            max_salience: Type.Optional(Decay.properties.max_salience),
          }),
        ),
        pinned: orNull(Type.Boolean()),
        deletion_policy: orNull(DeletionPolicy),
      }),
    ),
    memory_kind: orNull(MemoryKind),
    base_importance: orNull(Unit({ description: 'Null: judged from the content.' })),
    emotional_valence: orNull(Valence()),
    payload: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Merged into the payload of a working or an entity record.',
      }),
    ),
  },
  { $id: 'RecordPatch', minProperties: 1, examples: [{ tags: ['preference', 'editor'] }] },
)
export type RecordPatch = Static<typeof RecordPatch>

export const RecordBatch = closed(
  {
    records: Type.Array(ref(NewRecord), { minItems: 1, maxItems: 1_000 }),
    atomic: Type.Optional(Type.Boolean({ default: false, description: 'true stores all records or none.' })),
  },
  { $id: 'RecordBatch', examples: [{ records: [exampleRecord] }] },
)
export const LooseRecordBatch = closed({
  records: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1_000 }),
  atomic: Type.Optional(Type.Boolean()),
})

const BatchResult = closed({
  index: Type.Integer({ minimum: 0 }),
  status: Type.Integer(),
  record: Type.Optional(ref(WrittenRecord)),
  problem: Type.Optional(ref(Problem)),
})
export const BatchAnswer = closed({ results: Type.Array(BatchResult) }, { $id: 'BatchAnswer' })

export const RecordPath = Type.Object({ id: Uuid() })
export const RecordPage = listOf(ref(SeenRecord), 'RecordPage')
export const AuditPage = listOf(ref(AuditEntry), 'AuditPage')
