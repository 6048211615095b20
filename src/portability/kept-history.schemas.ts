import Type, { type Static } from 'typebox'
import { maxSalience } from '../domain/lifecycle/curves.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, Time, Unit, Uuid } from '../domain/schemas/shapes.ts'
import { Status } from '../domain/schemas/vocabulary.ts'
import { descentKinds, Via } from '../records/index.ts'

/** Fields that other responses do not show and that a copy of the record needs. */

const optional = Type.Optional
/** Half of the range of an integer column: there is room for what is counted later. */
export const Count = (description: string, minimum = 0) =>
  Type.Integer({ minimum, maximum: 1_000_000_000, description })
const Text = (description: string) => Type.String({ description })
const Digest = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{32}$', examples: ['00112233445566778899aabbccddeeff'], description })
const Base64 = (description: string) =>
  Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$', examples: ['AAAA'], description })
const Name = (description: string, maxLength = 256) => Type.String({ minLength: 1, maxLength, description })
const Run = () => optional(Uuid({ description: 'The run that made the change.' }))
const Past = (description: string) => Type.Enum([...Status.enum], { description })

export const Anchors = closed(
  {
    base_salience: Type.Number({
      minimum: 0,
      maximum: maxSalience,
      description: 'The salience at that moment.',
    }),
    anchored_at: Time({ description: 'The moment from which the record fades.' }),
  },
  {
    $id: 'Anchors',
    description: 'The salience from which a record fades, and the moment from which it fades.',
  },
)

const PastStatus = closed({
  old: Past('The status before.'),
  new: Past('The status after.'),
  actor: Text('Who changed it.'),
  changed_at: Time({ description: 'When it changed.' }),
  reason: Text('Why. Empty for an erased record.'),
  step: Text('What changed it: `manual` for a request, otherwise the operation of the service.'),
  run_id: Run(),
  via: optional(ref(Via)),
})

const PastImportance = closed({
  old: Unit({ description: 'The importance before.' }),
  new: Unit({ description: 'The importance after.' }),
  changed_at: Time({ description: 'When it changed.' }),
  run_id: Run(),
})

const Access = closed({
  at: Time({ description: 'When.' }),
  kind: Type.Enum(['served', 'used'], {
    description: '`served`: part of an answer. `used`: reported as used.',
  }),
  actor: Name('Who accessed the record.'),
  key_id: optional(Name('The key to which the record was served.')),
})

const Neighbour = closed({
  id: Uuid({ description: 'The id of the neighbour.' }),
  similarity: Type.Number({ description: 'The cosine of the two vectors.' }),
})

const KeptSurprise = closed(
  {
    at: Time({ description: 'When the vectors were compared.' }),
    score: Unit({ description: '0: repeats what was known; 1: unlike anything known.' }),
    delta: Type.Number({ minimum: -1, maximum: 1, description: 'The change of the base importance.' }),
    base_before: Unit({ description: 'The base importance before the change.' }),
    neighbours: Type.Array(Neighbour, { description: 'The nearest records at that time.' }),
    duplicate_of: optional(Uuid({ description: 'The record that says the same.' })),
  },
  { description: 'How new the record was when its first vector was stored.' },
)

export const KnownBy = closed({
  digest: Digest('The digest of the name.'),
  detail: optional(
    Digest('The digest of what distinguishes records of one name, such as the object of a fact.'),
  ),
  place: optional(Count('The order among records of one name.')),
})

const Stage = Type.Enum(['episodic', 'semantic', 'extraction', 'competence', 'plan_graph'], {
  description: 'A stage of consolidation.',
})

const EpisodeTally = closed({
  stage: Stage,
  outcome: Text('The outcome that was counted.'),
  digest: Digest('The digest of the group in which it was counted.'),
  scope: Type.String({ maxLength: 256, description: 'The scope of the group.' }),
})

const KeptConsolidation = closed(
  {
    due: Type.Array(Stage, { description: 'The stages that have not read the episode yet.' }),
    tallies: Type.Array(EpisodeTally, { description: 'The groups in which the episode was counted.' }),
  },
  { description: 'How far the episode is consolidated.' },
)

const KeptEmbedding = closed({
  provider: Type.String({ minLength: 1, description: 'The provider of the embedding model.' }),
  model: Text('The name of the embedding model.'),
  dimensions: Type.Integer({ minimum: 1, maximum: 4_096, description: 'The length of the vector.' }),
  bits: Type.Enum([2, 4, 8, 32], { description: 'The bits of each number in `code`.' }),
  embedded_at: Time({ description: 'When the vector was made.' }),
  code: Base64('The vector, in base64.'),
  signature: Base64('The signature by which the vector is searched, in base64.'),
})
export type KeptEmbedding = Static<typeof KeptEmbedding>

const KeptDescent = closed({
  source_id: Uuid({ description: 'The record from which this one was made.' }),
  kind: Type.Enum([...descentKinds], { description: 'The operation that made it.' }),
  is_ground: Type.Boolean({
    description: 'true: this record is erased when all its sources with `is_ground: true` are erased.',
  }),
})

const OwnIdentifier = closed({
  namespace: Name('Who gives the identifier.'),
  value: Name('The identifier.', 1_024),
})

export const PastStatuses = Type.Array(PastStatus, {
  description: 'The changes of the status, oldest first.',
})

export const historyFields = {
  descent: optional(
    Type.Array(KeptDescent, {
      description: 'The records from which the service made this one. An erase follows them.',
    }),
  ),
  served_count: optional(Count('How often the record was part of an answer.')),
  demoted_at: optional(Time({ description: 'When the record was last demoted.' })),
  importance_history: optional(
    Type.Array(PastImportance, { description: 'The changes of the importance, oldest first.' }),
  ),
  access_log: optional(Type.Array(Access, { description: 'The newest 1,000 accesses, oldest first.' })),
  access_days: optional(Count('The number of days with accesses before those in `access_log`.', 1)),
  worth: optional(
    Type.String({
      pattern: '^([0-9a-f]{2}){0,64}$',
      description:
        'The estimate behind the base importance, as the service stores it. Empty if the client sent an importance.',
    }),
  ),
  surprise: optional(KeptSurprise),
  identifiers: optional(
    Type.Array(OwnIdentifier, {
      description: 'The identifiers of an entity that no other entity has taken.',
    }),
  ),
  consolidation: optional(KeptConsolidation),
  embeddings: optional(
    Type.Array(KeptEmbedding, {
      maxItems: 16,
      description: 'The vectors of the record, one for each model.',
    }),
  ),
}
