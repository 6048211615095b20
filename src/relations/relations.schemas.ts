import Type, { type Static } from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { closed, listOf, pageParameters, Time, Unit, Uuid } from '../domain/shapes.ts'

const Predicate = () => Type.String({ minLength: 1, maxLength: 128 })

export const NewEdge = closed(
  {
    predicate: Predicate(),
    target_id: Uuid(),
    weight: Type.Optional(Unit({ description: 'Default 1.' })),
    actor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "Default: the key's name." }),
    ),
    rationale: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
  },
  {
    $id: 'NewEdge',
    examples: [{ predicate: 'supports', target_id: '0197b9a0-0000-7000-8000-000000000001', weight: 0.8 }],
  },
)
export type NewEdge = Static<typeof NewEdge>

export const RelationEdge = closed(
  {
    source_id: Uuid(),
    predicate: Predicate(),
    target_id: Uuid(),
    weight: Unit(),
    created_at: Time(),
  },
  { $id: 'RelationEdge' },
)
export type RelationEdge = Static<typeof RelationEdge>

export const RelationsQuery = closed({
  direction: Type.Optional(
    Type.Enum(['out', 'in'], {
      default: 'out',
      description: '`out` lists edges that start at the record, `in` those that end at it.',
    }),
  ),
  predicate: Type.Optional(Predicate()),
  ...pageParameters(100),
})
export type RelationsQuery = Static<typeof RelationsQuery>

export const RelationEdgePage = listOf(ref(RelationEdge), 'RelationEdgePage')

export const SourcePath = Type.Object({ id: Uuid() })
export const EdgePath = Type.Object({ id: Uuid(), predicate: Predicate(), target_id: Uuid() })
