import Type, { type Static } from 'typebox'
import { Rationale } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Time, Uuid } from '../domain/schemas/shapes.ts'
import { NewPredicate, RelationFields } from '../records/index.ts'

const { predicate, target_id, weight } = RelationFields

export const NewEdge = closed(
  {
    predicate: NewPredicate,
    target_id,
    weight: Type.Optional(weight),
    actor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Who makes the change, for the audit log. Default: the name of the key.',
      }),
    ),
    rationale: Type.Optional(Rationale()),
  },
  {
    $id: 'NewEdge',
    examples: [{ predicate: 'supports', target_id: '0197b9a0-0000-7000-8000-000000000001', weight: 0.8 }],
  },
)
export type NewEdge = Static<typeof NewEdge>

export const RelationEdge = closed(
  {
    source_id: Uuid({ description: 'The record where the relation starts.' }),
    predicate,
    target_id,
    weight,
    created_at: Time(),
  },
  { $id: 'RelationEdge', description: 'A relation between two records.' },
)
export type RelationEdge = Static<typeof RelationEdge>

export const RelationsQuery = closed({
  direction: Type.Optional(
    Type.Enum(['out', 'in'], {
      default: 'out',
      description: '`out`: relations that start at the record. `in`: relations that end at it.',
    }),
  ),
  predicate: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Only relations with this predicate.' }),
  ),
  ...pageParameters(100),
})
export type RelationsQuery = Static<typeof RelationsQuery>

export const RelationEdgePage = listOf(ref(RelationEdge), 'RelationEdgePage')

export const EdgePath = Type.Object({
  id: Uuid({ description: 'The id of the record where the relation starts.' }),
  predicate,
  target_id,
})
