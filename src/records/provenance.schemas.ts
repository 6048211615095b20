import Type, { type Static } from 'typebox'
import { closed, pathPartPattern, Time, Unit, Uuid } from '../domain/schemas/shapes.ts'

const Source = closed({
  kind: Type.Enum(['event', 'artifact', 'tool_call', 'observation', 'outcome'], {
    description: 'What kind of source it is.',
  }),
  ref: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'A reference to the source. The id of a record: the content comes from that record.',
  }),
  hash: Type.Optional(Type.String({ maxLength: 1_024, description: 'A digest of the source.' })),
  created_by: Type.Optional(Type.String({ maxLength: 256, description: 'Who made the source.' })),
  timestamp: Type.Optional(Time({ description: 'When the source was made.' })),
})

export const maxSources = 10_000

export const Provenance = closed(
  {
    sources: Type.Array(Source, {
      minItems: 1,
      maxItems: maxSources,
      description: 'The sources of the content.',
    }),
    created_by: Type.Optional(Type.String({ maxLength: 256, description: 'Who made the record from them.' })),
  },
  {
    $id: 'Provenance',
    description: 'Where the content of a record comes from. Default of a new record: the key, as an event.',
  },
)
export type Provenance = Static<typeof Provenance>

/** The fields of a relation, as every request and response describes them. */
export const RelationFields = {
  predicate: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'How the source is related to the target, such as `supports`.',
  }),
  target_id: Uuid({ description: 'The id of the record at the other end.' }),
  weight: Unit({ description: 'How strong the relation is. Default 1.' }),
}

/** One that a client can name to remove the relation. */
export const NewPredicate = Type.String({ ...RelationFields.predicate, pattern: pathPartPattern })

export const Relation = closed({ ...RelationFields, created_at: Time() }, { $id: 'Relation' })
export type Relation = Static<typeof Relation>

export const maxNewRelations = 10_000
export const NewRelation = closed(
  {
    ...RelationFields,
    predicate: NewPredicate,
    weight: Type.Optional(RelationFields.weight),
    created_at: Type.Optional(
      Time({ description: 'When it was made. Must not be in the future. Default: now.' }),
    ),
  },
  { $id: 'NewRelation' },
)
