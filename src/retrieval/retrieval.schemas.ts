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
          'Of the scopes of the key; one that the key lacks finds nothing. None named: all of them.',
      }),
    ),
    actor_id: optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'On whose behalf, for the access log.' }),
    ),
  },
  { description: 'Narrows what the key may see; it never widens it.' },
)

export const RetrieveQuery = closed(
  {
    task_descriptor: optional(
      Type.String({
        minLength: 1,
        maxLength: 10_000,
        description:
          'What the memories are for, as a sentence. Its words are alternatives; quotes and a leading minus have their usual meaning. Without it the most salient records come.',
      }),
    ),
    trust: optional(NarrowerTrust),
    memory_types: several(RecordType, 'Only of these types.'),
    mode: optional(
      Type.Enum(['facts_only', 'facts_plus_rules', 'full_context'], {
        default: 'full_context',
        description: 'Facts; facts and procedures; everything.',
      }),
    ),
    layers: several(Layer, 'Only of these layers.'),
    scopes: several(Scope(), 'Only of these scopes; what has no scope is left out.'),
    tags: several(Type.String({ minLength: 1, maxLength: 256 }), 'All must be there.'),
    min_salience: optional(Type.Number({ minimum: 0, description: 'Of this moment, or of `as_of`.' })),
    min_importance: optional(Unit()),
    include_status: several(Status, 'Records of these statuses too, beside the active ones.'),
    include_expired: optional(
      Type.Boolean({ default: false, description: 'Timeboxed facts outside their window too.' }),
    ),
    as_of: optional(
      Time({
        description:
          'Answers as of a past instant: what was stored later is left out, edges and log entries of later with it; status, revision state and validity are of then; salience is worked out from the log, and where the log does not tell, from the present anchor. All else is as it is now. Forgotten records stay away.',
      }),
    ),
    root_limit: limit(10, 1, 100, 'Records found by the question itself.'),
    node_limit: limit(25, 1, 500, 'Records answered in all.'),
    edge_limit: limit(100, 0, 5_000, 'Edges answered.'),
    max_hops: limit(1, 0, 5, 'How far edges are followed from the roots; 0 for not at all.'),
    record_access: optional(
      Type.Boolean({ default: true, description: 'Count the records answered as served.' }),
    ),
    explain: optional(Type.Boolean({ default: false, description: 'Say why, and what was withheld.' })),
    query_embedding: optional(
      Type.Array(Type.Number(), {
        minItems: 1,
        maxItems: 16_000,
        description:
          'Used in place of the vector of `task_descriptor`; of the model whose vectors are searched, and as long as those.',
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
        channel: Type.Enum(['vector', 'text', 'graph', 'salience']),
        rank: Type.Integer({ minimum: 1 }),
        weight: Type.Number(),
        contribution: Type.Number(),
      }),
      { description: 'Where the record was found; empty for one that an edge led to.' },
    ),
    fused: Type.Number({ description: 'The sum of the contributions, or what the edge handed on.' }),
    salience_factor: Type.Number(),
    importance_factor: Type.Number(),
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
    score: Type.Number({ minimum: 0 }),
    signals: optional(ref(Signals)),
  },
  { $id: 'RetrievedNode' },
)
export type RetrievedNode = Static<typeof RetrievedNode>

const Selection = closed(
  {
    selected: Type.Array(Uuid(), { description: 'The competences and plans among the roots, best first.' }),
    confidence: Unit({ description: 'How far the best leads.' }),
    needs_more: Type.Boolean({ description: 'The lead is too small to rely on.' }),
    scores: Type.Record(Type.String(), Unit()),
  },
  { $id: 'Selection' },
)

const Suppressed = closed(
  { id: Uuid(), reason: Type.Enum(['retracted', 'status', 'validity', 'min_salience']), status: Status },
  { $id: 'Suppressed', description: 'What matched and was withheld, and by which rule.' },
)
export type Suppressed = Static<typeof Suppressed>

export const Retrieval = closed(
  {
    nodes: Type.Array(ref(RetrievedNode), { description: 'Roots first, then by hop, then by score.' }),
    edges: Type.Array(ref(RelationEdge), { description: 'Of those that were followed, between the nodes.' }),
    root_ids: Type.Array(Uuid()),
    selection: optional(ref(Selection)),
    suppressed: optional(Type.Array(ref(Suppressed))),
  },
  { $id: 'Retrieval' },
)
export type Retrieval = Static<typeof Retrieval>
