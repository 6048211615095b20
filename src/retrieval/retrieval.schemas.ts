import Type, { type Static } from 'typebox'
import { MaskSecrets } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, Time, Unit, Uuid } from '../domain/schemas/shapes.ts'
import { Layer, RecordType, Sensitivity, Status } from '../domain/schemas/vocabulary.ts'
import { SeenRecord } from '../records/index.ts'
import { RelationEdge } from '../relations/index.ts'

const optional = Type.Optional
const several = <T extends Type.TSchema>(item: T, description: string) =>
  optional(Type.Array(item, { minItems: 1, maxItems: 100, description }))
const Scope = () => Type.String({ minLength: 1, maxLength: 256 })
export const limit = (fallback: number, minimum: number, maximum: number, description: string) =>
  optional(Type.Integer({ default: fallback, minimum, maximum, description }))

export const NarrowerTrust = closed(
  {
    max_sensitivity: optional(
      Type.Enum([...Sensitivity.enum], {
        description: 'Only records up to this sensitivity are read in full.',
      }),
    ),
    scopes: optional(
      Type.Array(Scope(), {
        maxItems: 100,
        description:
          'A subset of the scopes of the key. A scope that the key does not have finds nothing. An empty list means all scopes of the key. Records without a scope are found in any case.',
      }),
    ),
    actor_id: optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Who reads, for the access log. Default: the name of the key.',
      }),
    ),
  },
  { description: 'Narrows what this request can see. It cannot show more than the key can see.' },
)
export type NarrowerTrust = Static<typeof NarrowerTrust>

export const RetrieveQuery = closed(
  {
    task_descriptor: optional(
      Type.String({
        minLength: 1,
        maxLength: 10_000,
        description:
          'The task: a sentence, a message, or a copied chat (`User: …`, `Assistant: …`, or a JSON list of messages), whose last turn of the person is what is asked. A record need not contain all of its words. Sentences beside a question count a third. Quotes and a leading minus mean the same as in a web search, unless the task has more than 50 words. In a question, words in quotes are searched like all others. Without a task the most salient records are returned.',
      }),
    ),
    trust: optional(NarrowerTrust),
    memory_types: several(RecordType, 'Only records of these types.'),
    mode: optional(
      Type.Enum(['facts_only', 'facts_plus_rules', 'full_context'], {
        default: 'full_context',
        description:
          '`facts_only`: records of the kind `fact`. `facts_plus_rules`: facts and procedures. `full_context`: every kind.',
      }),
    ),
    layers: several(Layer, 'Only records in these layers.'),
    scopes: several(Scope(), 'Only records of these scopes. Records without a scope are left out.'),
    tags: several(Type.String({ minLength: 1, maxLength: 256 }), 'Only records with all of these tags.'),
    min_salience: optional(
      Type.Number({
        minimum: 0,
        description: 'Only records with at least this salience, now or at `as_of`.',
      }),
    ),
    min_importance: optional(Unit({ description: 'Only records with at least this importance.' })),
    include_status: several(Status, 'Also records with these statuses, besides active ones.'),
    include_expired: optional(
      Type.Boolean({
        default: false,
        description: 'Also timeboxed facts that do not hold now, or at `as_of`.',
      }),
    ),
    as_of: optional(
      Time({
        description:
          'A past time: the answer is as it would have been then. Later records, relations and log entries are left out. Status, revision state and validity are those of that time. Salience is reconstructed from the log, or from the present anchor if the log is not enough. Everything else is as it is now. Forgotten records stay excluded.',
      }),
    ),
    root_limit: limit(10, 1, 100, 'The highest number of roots: records that the search itself finds.'),
    node_limit: limit(25, 1, 500, 'The highest number of records in the answer.'),
    edge_limit: limit(100, 0, 5_000, 'The highest number of relations in the answer.'),
    max_hops: limit(1, 0, 5, 'How many relations in a row are followed from each root; 0 for none.'),
    record_access: optional(
      Type.Boolean({
        default: true,
        description:
          'Whether the returned records count as served: each at most once for each key and UTC day.',
      }),
    ),
    explain: optional(
      Type.Boolean({
        default: false,
        description: 'Adds `signals` to each record, and `suppressed`: matching records that were withheld.',
      }),
    ),
    mask_secrets: MaskSecrets(),
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
      {
        description:
          'The channels that found the record; empty for a record that was found over a relation. `text` also counts words of a near meaning, with less weight.',
      },
    ),
    fused: Type.Number({
      description: 'The sum of the contributions, or the share of the score that came over the relation.',
    }),
    time_factor: Type.Number({
      description: 'More than 1 if the record is from a time that the task names, such as `in May 2023`.',
    }),
    speaker_factor: Type.Number({
      description:
        'Less than 1 for a message of another speaker if the task names a speaker, and for a message of an assistant if the task is about the person who asks, such as `What did I buy?`. More than 1 for a message of an assistant if the task is about what it told, such as `Which hotel did you recommend?`.',
    }),
    name_factor: Type.Number({
      description: 'Less than 1 for an entity of which only the name and the kind are known.',
    }),
    evidence_factor: Type.Number({
      description:
        'Less than 1 for an episode that was captured with a fact and nothing else, because the fact is a record of its own.',
    }),
    guidance_factor: Type.Number({
      description:
        'More than 1 for an instruction that holds from now on, such as `Always use metric units`, for a preference, and for a short message in which a person says something of themselves, such as `I live in Canada`, if the task is about the person who asks or asks for help, such as `What should I cook?`.',
    }),
    asking_factor: Type.Number({
      description:
        'Less than 1 for a message that only asks, such as `How was the trip?`, unless the task is about what was asked.',
    }),
    salience_factor: Type.Number(),
    importance_factor: Type.Number(),
    recency_factor: Type.Number(),
    question_factor: Type.Number({
      description:
        'If the task asks several questions, makes their scores comparable: smaller the further down the record is among those for its question. Otherwise 1.',
    }),
    raised_by: optional(
      Uuid({ description: 'The older record that says nearly the same and whose score this record got.' }),
    ),
    via: optional(closed({ source_id: Uuid(), predicate: Type.String(), weight: Unit() })),
  },
  { $id: 'Signals' },
)
export type Signals = Static<typeof Signals>

const RetrievedNode = closed(
  {
    record: ref(SeenRecord),
    root: Type.Boolean({ description: 'Whether the search itself found the record.' }),
    hop: Type.Integer({ minimum: 0, description: 'How many relations lead from a root to the record.' }),
    score: Type.Number({
      minimum: 0,
      description:
        'The product of `fused` and the factors in `signals`, but at least the score of an older record that says nearly the same.',
    }),
    signals: optional(ref(Signals)),
  },
  { $id: 'RetrievedNode' },
)
export type RetrievedNode = Static<typeof RetrievedNode>

const Selection = closed(
  {
    selected: Type.Array(Uuid(), {
      description: 'The competences and plan graphs among the roots, best first.',
    }),
    confidence: Unit({ description: 'How clearly the best one is ahead of the second.' }),
    needs_more: Type.Boolean({ description: 'Whether `confidence` is too low to rely on the best one.' }),
    scores: Type.Record(Type.String(), Unit()),
  },
  { $id: 'Selection' },
)
export type Selection = Static<typeof Selection>

const Suppressed = closed(
  { id: Uuid(), reason: Type.Enum(['retracted', 'status', 'validity', 'min_salience']), status: Status },
  { $id: 'Suppressed', description: 'A matching record that was withheld, and the rule that withheld it.' },
)
export type Suppressed = Static<typeof Suppressed>

export const Retrieval = closed(
  {
    nodes: Type.Array(ref(RetrievedNode), {
      description: 'The records: roots first, then by hop, then by score.',
    }),
    edges: Type.Array(ref(RelationEdge), {
      description: 'The followed relations between the returned records.',
    }),
    root_ids: Type.Array(Uuid()),
    selection: optional(ref(Selection)),
    suppressed: optional(Type.Array(ref(Suppressed))),
  },
  { $id: 'Retrieval' },
)
export type Retrieval = Static<typeof Retrieval>
