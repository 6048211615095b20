import Type, { type Static } from 'typebox'
import { Actor, MaskSecrets, Rationale, Scope } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Uuid } from '../domain/schemas/shapes.ts'
import { MemoryRecord, RedactedRecord } from '../records/index.ts'

export const EntityPath = Type.Object({ id: Uuid({ description: 'The id of the entity.' }) })

export const LookupQuery = closed({
  term: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description:
      'A name or alias, in any case and spacing. Or an exact identifier, alone or as `namespace:value`.',
    examples: ['Orion'],
  }),
  scope: Type.Optional(Scope('Only entities of this scope.')),
  ...pageParameters(20, 100),
})
export type LookupQuery = Static<typeof LookupQuery>

export const EntityPage = listOf(ref(MemoryRecord), 'EntityPage')

export const EntityRecord = closed(
  {
    ...MemoryRecord.properties,
    peer_card_id: Type.Optional(
      Uuid({ description: 'The id of the record with the profile of this entity.' }),
    ),
  },
  { $id: 'EntityRecord' },
)
export type EntityRecord = Static<typeof EntityRecord>

export const SeenEntity = Type.Union([ref(EntityRecord), ref(RedactedRecord)], { $id: 'SeenEntity' })

/** The relation by which a record refers to an entity. */
export const Reference = Type.Enum(['mentions_entity', 'subject_entity', 'object_entity'])
export type Reference = Static<typeof Reference>

export const EntityQuery = closed({ mask_secrets: MaskSecrets() })

export const MentionsQuery = closed({
  predicate: Type.Optional(
    Type.Enum([...Reference.enum], {
      description:
        'Only records that refer to the entity in this way. `mentions_entity`: they mention it. `subject_entity`, `object_entity`: facts with the entity as subject or object.',
    }),
  ),
  mask_secrets: MaskSecrets(),
  ...pageParameters(50),
})
export type MentionsQuery = Static<typeof MentionsQuery>

export const EntityMerge = closed(
  {
    source_ids: Type.Array(Uuid(), {
      minItems: 1,
      maxItems: 1_000,
      description: 'The duplicates: entities that are the same thing under other names.',
    }),
    actor: Actor('curator'),
    rationale: Rationale('one project under two names'),
  },
  {
    $id: 'EntityMerge',
    examples: [
      {
        source_ids: ['0197b9a0-0000-7000-8000-000000000002'],
        actor: 'curator',
        rationale: 'one project under two names',
      },
    ],
  },
)
export type EntityMerge = Static<typeof EntityMerge>
