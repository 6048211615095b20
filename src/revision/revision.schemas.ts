import Type, { type Static } from 'typebox'
import { Actor, NewSourceType, Rationale } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, Time, Uuid } from '../domain/schemas/shapes.ts'
import { RecordType, Status } from '../domain/schemas/vocabulary.ts'
import { NewRecord, WrittenRecord } from '../records/index.ts'

const reason = { actor: 'planner', rationale: 'the team has moved on' }
const exampleIds = ['0197b9a0-0000-7000-8000-000000000001', '0197b9a0-0000-7000-8000-000000000002']
const evidence = {
  source_type: 'observation',
  source_id: 'meeting-14',
  timestamp: '2026-03-28T09:30:00.000Z',
}
const record = {
  type: 'semantic',
  payload: { kind: 'semantic', subject: 'team', predicate: 'writes', object: 'Rust', evidence: [evidence] },
}

export const RevisionReason = closed(
  { actor: Actor('planner'), rationale: Rationale('the team has moved on') },
  { $id: 'RevisionReason', examples: [reason] },
)
export type RevisionReason = Static<typeof RevisionReason>

export const Reversal = closed(
  {
    to_version: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The version that the record had before its last revision.' }),
    ),
    operation_id: Type.Optional(
      Uuid({ description: 'The `operation_id` of the last revision, from the audit log of the record.' }),
    ),
    ...RevisionReason.properties,
  },
  { $id: 'Reversal', examples: [{ to_version: 1, ...reason }] },
)
export type Reversal = Static<typeof Reversal>

export const Succession = closed(
  { record: ref(NewRecord), ...RevisionReason.properties },
  { $id: 'Succession', examples: [{ record, ...reason }] },
)
export type Succession = Static<typeof Succession>

export const Replacement = closed(
  {
    record: Type.Optional(ref(NewRecord)),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100_000,
        pattern: '\\S',
        description:
          'Instead of `record`, for a fact: what is true now, as a whole sentence. The new fact has the subject of the old one, and links to the entities that the text names.',
      }),
    ),
    occurred_at: Type.Optional(
      Time({
        description: 'Only with `text`: when it became true. Must not be in the future. Default: now.',
      }),
    ),
    source_type: Type.Optional(NewSourceType()),
    ...RevisionReason.properties,
  },
  {
    $id: 'Replacement',
    examples: [
      { text: 'The team writes Rust.', ...reason },
      { record, ...reason },
    ],
  },
)
export type Replacement = Static<typeof Replacement>

export const Merger = closed(
  {
    ids: Type.Array(Uuid(), {
      minItems: 2,
      maxItems: 10_000,
      description: 'The records to merge: at least two different ids. A repeated id counts once.',
    }),
    ...Succession.properties,
  },
  { $id: 'Merger', examples: [{ ids: exampleIds, record, ...reason }] },
)
export type Merger = Static<typeof Merger>

export const Contest = closed(
  {
    contesting_ref: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'The id of the record that contradicts this one, or a reference to other evidence.',
    }),
    ...RevisionReason.properties,
  },
  { $id: 'Contest', examples: [{ contesting_ref: 'meeting-14', ...reason }] },
)
export type Contest = Static<typeof Contest>

const RevisedSource = closed({ id: Uuid(), version: Type.Integer({ minimum: 1 }) })

export const Revised = closed(
  {
    record: ref(WrittenRecord),
    sources: Type.Array(RevisedSource, { description: 'The revised records with their new versions.' }),
  },
  { $id: 'Revised' },
)
export type Revised = { record: WrittenRecord; sources: Static<typeof RevisedSource>[] }

export const Lineage = closed(
  {
    nodes: Type.Array(closed({ id: Uuid(), type: RecordType, status: Status, created_at: Time() }), {
      description: 'Oldest first.',
    }),
    edges: Type.Array(
      closed({
        source_id: Uuid(),
        predicate: Type.Enum(['supersedes', 'derived_from']),
        target_id: Uuid(),
      }),
      { description: 'Relations from a newer record to an older one.' },
    ),
  },
  { $id: 'Lineage' },
)
export type Lineage = Static<typeof Lineage>
