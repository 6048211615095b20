import Type, { type Static } from 'typebox'
import { closed, Unit, Uuid } from '../../domain/shapes.ts'

export const SurpriseQuery = closed(
  {
    text: Type.String({ minLength: 1, maxLength: 10_000, description: 'What would be stored.' }),
    scope: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'Where; when left out, where a record would go of which nothing is said. One that the key lacks holds nothing.',
      }),
    ),
    base_importance: Type.Optional(Unit({ default: 0.5 })),
  },
  {
    $id: 'SurpriseQuery',
    examples: [{ text: 'deploys of the billing service are frozen in December' }],
  },
)
export type SurpriseQuery = Static<typeof SurpriseQuery>

export const SurprisePreview = closed(
  {
    score: Unit({ description: '0: like all that is known; 1: like nothing.' }),
    delta: Type.Number({
      minimum: -1,
      maximum: 1,
      description: 'What base importance would be moved by, within 0.05 and 1.',
    }),
    base_before: Unit(),
    base_importance: Unit({ description: 'What it would come to.' }),
    neighbours: Type.Array(closed({ id: Uuid(), similarity: Type.Number({ minimum: -1, maximum: 1 }) }), {
      maxItems: 5,
      description: 'The most similar first.',
    }),
    duplicate_of: Type.Optional(Uuid()),
  },
  { $id: 'SurprisePreview' },
)
export type SurprisePreview = Static<typeof SurprisePreview>
