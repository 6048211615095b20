import Type, { type Static } from 'typebox'
import { Interpretation } from '../domain/interpretation.ts'
import { maxSalience } from '../domain/lifecycle/curves.ts'
import { Lifecycle, NewLifecycle } from '../domain/lifecycle/lifecycle.ts'
import { NewPayload, Payload } from '../domain/payloads/payloads.ts'
import {
  ChosenScope,
  NewMemoryKind,
  NewSensitivity,
  NewSourceType,
  Scope,
  Tags,
  TypeOf,
} from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { Count, closed, listOf, notNilPattern, Time, Unit, Uuid } from '../domain/schemas/shapes.ts'
import { Layer, MemoryKind, Sensitivity, SourceType, Status } from '../domain/schemas/vocabulary.ts'
import { Problem } from '../http/problems/problem-responses.ts'
import { AuditEntry } from './audit-log/audit-log.schemas.ts'
import { maxNewRelations, NewRelation, Provenance, Relation } from './provenance.schemas.ts'

/** Pages and batches start after the nil UUID, so a record with that id would never be read. */
const NewId = () =>
  Uuid({
    pattern: notNilPattern,
    description: 'Any UUID except the nil UUID. The service generates one if it is absent.',
  })

const Valence = (description: string) => Type.Number({ minimum: -1, maximum: 1, description })

const Forgotten = closed(
  {
    at: Time({ description: 'When it was forgotten.' }),
    reason: Type.String({ description: 'Why: `pruned`, `archived`, `budget` or `deleted`.' }),
    actor: Type.String({ description: 'Who forgot it.' }),
    run_id: Type.Optional(Uuid({ description: 'The run that forgot it.' })),
    purge_at: Time({ description: 'Until when it can be restored.' }),
  },
  { description: 'Present while the record is forgotten.' },
)

export const MemoryRecord = closed(
  {
    id: Uuid(),
    type: TypeOf('The type of the record; it decides the form of the payload.'),
    sensitivity: Type.Enum([...Sensitivity.enum], {
      description: 'A key needs at least this `max_sensitivity` to read the record in full.',
    }),
    confidence: Unit({ description: 'How certain the content is.' }),
    salience: Type.Number({ minimum: 0, description: 'The salience at the time of the answer.' }),
    scope: Type.Optional(Scope('Absent for a record without a scope, which every key may read.')),
    tags: Tags('Words by which records are found and filtered.'),
    created_at: Time(),
    updated_at: Time({ description: 'When the record last changed.' }),
    version: Type.Integer({ minimum: 1, description: 'Rises with each change; the ETag contains it.' }),
    lifecycle: ref(Lifecycle),
    provenance: ref(Provenance),
    relations: Type.Array(ref(Relation), {
      description: 'Oldest first, at most 1,000. `/v1/records/{id}/relations` lists all of them.',
    }),
    payload: ref(Payload),
    interpretation: Type.Optional(ref(Interpretation)),
    audit_log: Type.Array(ref(AuditEntry), {
      description:
        'The newest 50 entries, oldest first, without those with very long `changes`: `/v1/records/{id}/audit` lists all.',
    }),
    layer: Type.Enum([...Layer.enum], { description: 'The layer of memory in which the record is.' }),
    memory_kind: Type.Enum([...MemoryKind.enum], { description: 'What kind of memory it is.' }),
    status: Type.Enum([...Status.enum], {
      description:
        '`active`: valid. `challenged`: in doubt. `invalidated`, `merged` and `superseded`: history.',
    }),
    importance: Unit({
      description: 'The stored importance; `/explain` shows the present one with its parts.',
    }),
    base_importance: Unit({ description: 'The worth of the content, whether it is used or not.' }),
    access_count: Count('How often the record was used or served.'),
    last_accessed_at: Type.Optional(Time({ description: 'When the record was last used or served.' })),
    source_type: Type.Enum([...SourceType.enum], {
      description: 'Who or what the content comes from: a less trusted source counts less.',
    }),
    emotional_valence: Valence('From -1 (bad) to 1 (good). Both raise the importance.'),
    confirmation_count: Count('How often other sources confirmed the record.'),
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
    description: 'What a key sees of a record that is one sensitivity level above its ceiling.',
  },
)
export type RedactedRecord = Static<typeof RedactedRecord>

export const SeenRecord = Type.Union([ref(MemoryRecord), ref(RedactedRecord)], { $id: 'SeenRecord' })

export const RecordReceipt = closed(
  { id: Uuid(), version: Type.Integer({ minimum: 1 }) },
  {
    $id: 'RecordReceipt',
    description: 'The response to a write with a key without the permission records:read.',
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
    type: MemoryRecord.properties.type,
    sensitivity: Type.Optional(NewSensitivity()),
    confidence: Type.Optional(Unit({ description: 'How certain the content is. Default 1.' })),
    salience: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: maxSalience,
        description: 'The salience from which the record fades. Default 1.',
      }),
    ),
    scope: Type.Optional(ChosenScope('The scope of the record.')),
    tags: Type.Optional(MemoryRecord.properties.tags),
    created_at: Type.Optional(
      Time({
        description:
          'When the record was first stored, if it comes from elsewhere. When something happened is in the payload: `t` of an event, `timestamp` of evidence. Must not be in the future. Default: now.',
      }),
    ),
    lifecycle: Type.Optional(ref(NewLifecycle)),
    provenance: Type.Optional(ref(Provenance)),
    relations: Type.Optional(
      Type.Array(ref(NewRelation), {
        maxItems: maxNewRelations,
        description: 'Relations from this record to others that the key can read in full.',
      }),
    ),
    payload: ref(NewPayload),
    interpretation: Type.Optional(ref(Interpretation)),
    base_importance: Type.Optional(
      Unit({
        description: 'What the content is worth. Default: judged from the content; `/explain` shows how.',
      }),
    ),
    emotional_valence: Type.Optional(
      Valence('From -1 (bad) to 1 (good). Both raise the importance. Default 0.'),
    ),
    layer: Type.Optional(
      Type.Enum([...Layer.enum], {
        description:
          'The layer of memory. Default by type: `working`, `episodic`, `semantic` (also for entities) or `procedural`.',
      }),
    ),
    memory_kind: Type.Optional(NewMemoryKind()),
    source_type: Type.Optional(NewSourceType()),
  },
  {
    $id: 'NewRecord',
    description: 'A record to store.',
    examples: [exampleRecord],
  },
)
export type NewRecord = Static<typeof NewRecord>

export const RecordBatch = closed(
  {
    records: Type.Array(ref(NewRecord), {
      minItems: 1,
      maxItems: 1_000,
      description: 'The records to store.',
    }),
    atomic: Type.Optional(Type.Boolean({ default: false, description: 'true stores all records or none.' })),
  },
  { $id: 'RecordBatch', examples: [{ records: [exampleRecord] }] },
)
export const LooseRecordBatch = closed({
  records: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1_000 }),
  atomic: Type.Optional(Type.Boolean()),
})

const BatchResult = closed({
  index: Type.Integer({ minimum: 0, description: 'The place of the record in the request, from 0.' }),
  status: Type.Integer({ description: 'The HTTP status for this record.' }),
  record: Type.Optional(ref(WrittenRecord)),
  problem: Type.Optional(ref(Problem)),
})
export const BatchAnswer = closed({ results: Type.Array(BatchResult) }, { $id: 'BatchAnswer' })

export const RecordPath = Type.Object({ id: Uuid({ description: 'The id of the record.' }) })
export const RecordPage = listOf(ref(SeenRecord), 'RecordPage')
