import Type, { type Static } from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { closed, Time, Unit, Uuid } from '../domain/shapes.ts'
import { Layer, RecordType, Sensitivity, Status } from '../domain/vocabulary.ts'
import { SeenRecord } from '../records/index.ts'
import { RelationEdge } from '../relations/index.ts'

const optional = Type.Optional
const several = <T extends Type.TSchema>(item: T, description: string, maxItems = 100) =>
  optional(Type.Array(item, { minItems: 1, maxItems, description }))
const Scope = () => Type.String({ minLength: 1, maxLength: 256 })
const limit = (fallback: number, minimum: number, maximum: number, description: string) =>
  optional(Type.Integer({ default: fallback, minimum, maximum, description }))

export const NarrowerTrust = closed(
  {
    max_sensitivity: optional(Sensitivity),
    scopes: optional(
      Type.Array(Scope(), {
        maxItems: 100,
        description:
          'A subset of the scopes of the key. A scope that the key does not have finds nothing. An empty list means all scopes of the key.',
      }),
    ),
    actor_id: optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'Who asks, for the access log.' }),
    ),
  },
  { description: 'Narrows what the key may see. It cannot widen it.' },
)

export const RetrieveQuery = closed(
  {
    task_descriptor: optional(
      Type.String({
        minLength: 1,
        maxLength: 10_000,
        description:
          'The task, as a sentence. Its words are alternatives; quotes and a leading minus mean the same as in a web search. Without it the most salient records are returned.',
      }),
    ),
    trust: optional(NarrowerTrust),
    memory_types: several(RecordType, 'Only these types.'),
    mode: optional(
      Type.Enum(['facts_only', 'facts_plus_rules', 'full_context'], {
        default: 'full_context',
        description: 'Facts only, facts and procedures, or every kind.',
      }),
    ),
    layers: several(Layer, 'Only these layers.'),
    scopes: several(Scope(), 'Only these scopes. Records without a scope are left out.'),
    tags: several(Type.String({ minLength: 1, maxLength: 256 }), 'Only records with all of these tags.'),
    min_salience: optional(
      Type.Number({ minimum: 0, description: 'The least salience now, or at `as_of`.' }),
    ),
    min_importance: optional(Unit()),
    include_status: several(Status, 'Also records of these statuses, besides active ones.'),
    include_expired: optional(
      Type.Boolean({ default: false, description: 'Also timeboxed facts outside their validity window.' }),
    ),
    as_of: optional(
      Time({
        description:
          'Answers as of a past instant. Records, edges and log entries from later are left out. Status, revision state and validity are those of that instant; salience is reconstructed from the log, or from the present anchor where the log is not enough. Everything else is as it is now. Forgotten records stay excluded.',
      }),
    ),
    root_limit: limit(10, 1, 100, 'The most records found by the question itself.'),
    node_limit: limit(25, 1, 500, 'The most records in the answer.'),
    edge_limit: limit(100, 0, 5_000, 'The most edges in the answer.'),
    max_hops: limit(1, 0, 5, 'How many edges are followed from each root; 0 for none.'),
    record_access: optional(
      Type.Boolean({
        default: true,
        description: 'Count the returned records as served: each once for each key and UTC day.',
      }),
    ),
    explain: optional(
      Type.Boolean({
        default: false,
        description: 'Add the reasons for each record, and the matching records that were withheld.',
      }),
    ),
    query_embedding: optional(
      Type.Array(Type.Number(), {
        minItems: 1,
        maxItems: 16_000,
        description:
          'Replaces the vector of `task_descriptor`. It must come from the serving model and have its number of dimensions.',
      }),
    ),
  },
  {
    $id: 'RetrieveQuery',
    examples: [{ task_descriptor: 'How do we deploy the billing service?', root_limit: 5 }],
  },
)
export type RetrieveQuery = Static<typeof RetrieveQuery>

const Signals = closed(
  {
    channels: Type.Array(
      closed({
        channel: Type.Enum(['vector', 'text', 'graph', 'time', 'salience']),
        rank: Type.Integer({ minimum: 1 }),
        weight: Type.Number(),
        contribution: Type.Number(),
      }),
      { description: 'The channels that found the record; empty for a record that an edge led to.' },
    ),
    fused: Type.Number({
      description: 'The sum of the contributions, or the share of the score that came over the edge.',
    }),
    time_factor: Type.Number({
      description: 'More than 1 for a record of a time that the question names, such as `in May 2023`.',
    }),
    speaker_factor: Type.Number({
      description: 'Less than 1 for a message of another speaker, where the question names one.',
    }),
    salience_factor: Type.Number(),
    importance_factor: Type.Number(),
    recency_factor: Type.Number(),
    raised_by: optional(
      Uuid({ description: 'The older record that says nearly the same, if the record took its score.' }),
    ),
    via: optional(closed({ source_id: Uuid(), predicate: Type.String(), weight: Unit() })),
  },
  { $id: 'Signals' },
)
export type Signals = Static<typeof Signals>

const RetrievedNode = closed(
  {
    record: ref(SeenRecord),
    root: Type.Boolean(),
    hop: Type.Integer({ minimum: 0 }),
    score: Type.Number({
      minimum: 0,
      description:
        'The product of `fused` and the factors of `signals`; at least the score of an older record that says nearly the same.',
    }),
    signals: optional(ref(Signals)),
  },
  { $id: 'RetrievedNode' },
)
export type RetrievedNode = Static<typeof RetrievedNode>

const Selection = closed(
  {
    selected: Type.Array(Uuid(), { description: 'The competences and plans among the roots, best first.' }),
    confidence: Unit({ description: 'How clearly the best one leads.' }),
    needs_more: Type.Boolean({ description: 'Whether the lead is too small to rely on.' }),
    scores: Type.Record(Type.String(), Unit()),
  },
  { $id: 'Selection' },
)

const Suppressed = closed(
  { id: Uuid(), reason: Type.Enum(['retracted', 'status', 'validity', 'min_salience']), status: Status },
  { $id: 'Suppressed', description: 'A matching record that was withheld, and the rule that withheld it.' },
)
export type Suppressed = Static<typeof Suppressed>

export const Retrieval = closed(
  {
    nodes: Type.Array(ref(RetrievedNode), { description: 'Roots first, then by hop, then by score.' }),
    edges: Type.Array(ref(RelationEdge), { description: 'The followed edges between the returned records.' }),
    root_ids: Type.Array(Uuid()),
    selection: optional(ref(Selection)),
    suppressed: optional(Type.Array(ref(Suppressed))),
  },
  { $id: 'Retrieval' },
)
export type Retrieval = Static<typeof Retrieval>
