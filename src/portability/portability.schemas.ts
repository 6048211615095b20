import Type, { type Static } from 'typebox'
import { maxSalience } from '../domain/curves.ts'
import { ref } from '../domain/schema-ref.ts'
import { closed, Time, Unit, Uuid } from '../domain/shapes.ts'
import { RecordType, Status } from '../domain/vocabulary.ts'
import { descentKinds, MemoryRecord, NewRecord, Via } from '../records/index.ts'

const optional = Type.Optional
/** The range of an integer column. */
const Count = (minimum = 0) => Type.Integer({ minimum, maximum: 2_147_483_647 })
const Digest = () =>
  Type.String({ pattern: '^[0-9a-f]{32}$', examples: ['00112233445566778899aabbccddeeff'] })
const Base64 = () => Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$', examples: ['AAAA'] })
const Actor = (description?: string) =>
  Type.String({ minLength: 1, maxLength: 256, ...(description ? { description } : {}) })

const Anchors = closed(
  { base_salience: Type.Number({ minimum: 0, maximum: maxSalience }), anchored_at: Time() },
  {
    $id: 'Anchors',
    description: 'The salience from which a record fades, and the moment from which it fades.',
  },
)

const PastStatus = closed({
  old: Status,
  new: Status,
  actor: Type.String(),
  changed_at: Time(),
  reason: Type.String({ description: 'Empty after the record was erased.' }),
  step: Type.String(),
  run_id: optional(Uuid()),
  via: optional(ref(Via)),
})

const PastImportance = closed({ old: Unit(), new: Unit(), changed_at: Time(), run_id: optional(Uuid()) })

const Access = closed({
  at: Time(),
  kind: Type.Enum(['served', 'used']),
  actor: Actor(),
  key_id: optional(Actor('The key that was shown the record.')),
})

const KeptSurprise = closed({
  at: Time(),
  score: Unit(),
  delta: Type.Number({ minimum: -1, maximum: 1 }),
  base_before: Unit(),
  neighbours: Type.Array(closed({ id: Uuid(), similarity: Type.Number() })),
  duplicate_of: optional(Uuid()),
})

const KnownBy = closed({ digest: Digest(), detail: optional(Digest()), place: optional(Count()) })

const Stage = Type.Enum(['episodic', 'semantic', 'extraction', 'competence', 'plan_graph'])

const KeptConsolidation = closed({
  due: Type.Array(Stage),
  tallies: Type.Array(
    closed({
      stage: Stage,
      outcome: Type.String(),
      digest: Digest(),
      scope: Type.String({ maxLength: 256 }),
    }),
  ),
})

const KeptEmbedding = closed({
  provider: Type.String({ minLength: 1 }),
  model: Type.String(),
  dimensions: Type.Integer({ minimum: 1, maximum: 4_096 }),
  bits: Type.Enum([2, 4, 8, 32]),
  embedded_at: Time(),
  code: Base64(),
  signature: Base64(),
})
export type KeptEmbedding = Static<typeof KeptEmbedding>

const KeptDescent = closed({
  source_id: Uuid(),
  kind: Type.Enum([...descentKinds]),
  is_ground: Type.Boolean({
    description:
      'Whether the record rests on this source. A record is erased with the last source on which it rests.',
  }),
})

/** Fields that other responses do not show and that a copy of the record needs. */
const historyFields = {
  descent: optional(
    Type.Array(KeptDescent, {
      description: 'The records from which the service made this one. An erase follows them.',
    }),
  ),
  served_count: optional(Count()),
  demoted_at: optional(Time()),
  importance_history: optional(Type.Array(PastImportance)),
  access_log: optional(Type.Array(Access, { description: 'The newest 1,000 accesses, oldest first.' })),
  access_days: optional(Count(1)),
  worth: optional(
    Type.String({
      pattern: '^([0-9a-f]{2}){0,64}$',
      description:
        'The judgement behind the base importance, as the service keeps it; empty where an importance was named.',
    }),
  ),
  surprise: optional(KeptSurprise),
  identifiers: optional(
    Type.Array(
      closed({
        namespace: Type.String({ minLength: 1, maxLength: 256 }),
        value: Type.String({ minLength: 1, maxLength: 1_024 }),
      }),
      { description: 'The identifiers of an entity that it owns; another entity may have taken the others.' },
    ),
  ),
  consolidation: optional(KeptConsolidation),
  embeddings: optional(Type.Array(KeptEmbedding, { maxItems: 16 })),
}

export const ExportedRecord = closed(
  {
    ...MemoryRecord.properties,
    relations: Type.Array(MemoryRecord.properties.relations.items, {
      description:
        'Oldest first. At most 1,000 of the inverse edges, which the record at the other end has too.',
    }),
    audit_log: Type.Array(MemoryRecord.properties.audit_log.items, {
      description: 'All entries, oldest first.',
    }),
    anchors: ref(Anchors),
    status_history: Type.Array(PastStatus),
    handles: Type.Array(KnownBy, { description: 'The handles of the record, as digests.' }),
    ...historyFields,
  },
  { $id: 'ExportedRecord', description: 'One line of an export.' },
)

const { properties: answered } = MemoryRecord
const { properties: newRecordFields } = NewRecord

/** Fields that only an admin may import, because they can forge the history of a record. */
const reservedFields = {
  updated_at: optional(Time()),
  version: optional(Count(1)),
  audit_log: optional(Type.Array(answered.audit_log.items)),
  status: optional(Status),
  importance: optional(Unit()),
  access_count: optional(Count()),
  last_accessed_at: answered.last_accessed_at,
  confirmation_count: optional(Count()),
  forgotten: answered.forgotten,
  anchors: optional(ref(Anchors)),
  status_history: optional(Type.Array(PastStatus)),
  handles: optional(Type.Array(KnownBy, { maxItems: 100_000 })),
  ...historyFields,
}

export const ImportedRecord = closed(
  {
    ...newRecordFields,
    relations: optional(
      Type.Array(
        closed({
          predicate: Type.String({ minLength: 1, maxLength: 128 }),
          target_id: Uuid(),
          weight: optional(Unit()),
          created_at: optional(Time()),
        }),
        { description: 'Targets may be records of later lines.' },
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
  scope: optional(Type.String({ minLength: 1, maxLength: 256 })),
  type: optional(RecordType),
  updated_after: optional(Time()),
  include_forgotten: optional(
    Type.Boolean({ description: 'Include forgotten records that can still be restored.' }),
  ),
  embeddings: optional(Type.Boolean({ description: 'Include the vectors of each record.' })),
  after: optional(Uuid({ description: 'Continue after this id. Lines are ordered by id.' })),
})
export type ExportQuery = Static<typeof ExportQuery>
