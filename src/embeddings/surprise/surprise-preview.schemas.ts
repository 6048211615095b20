import Type, { type Static } from 'typebox'
import { ChosenScope } from '../../domain/schemas/request-fields.ts'
import { closed, Unit, Uuid } from '../../domain/schemas/shapes.ts'

export const SurpriseQuery = closed(
  {
    text: Type.String({ minLength: 1, maxLength: 10_000, description: 'The text of the new record.' }),
    scope: Type.Optional(
      ChosenScope(
        'The scope whose records are compared. A scope that the key does not have contains nothing.',
      ),
    ),
    base_importance: Type.Optional(
      Unit({
        description: 'The base importance of the new record. Default: judged from the text, as for a fact.',
      }),
    ),
  },
  {
    $id: 'SurpriseQuery',
    examples: [{ text: 'deploys of the billing service are frozen in December' }],
  },
)
export type SurpriseQuery = Static<typeof SurpriseQuery>

export const SurprisePreview = closed(
  {
    score: Unit({ description: '0: repeats what is known; 1: unlike anything known.' }),
    delta: Type.Number({
      minimum: -1,
      maximum: 1,
      description: 'The change of the base importance, which stays between 0.05 and 1.',
    }),
    base_before: Unit(),
    base_importance: Unit({ description: 'The base importance after the change.' }),
    neighbours: Type.Array(closed({ id: Uuid(), similarity: Type.Number({ minimum: -1, maximum: 1 }) }), {
      maxItems: 5,
      description: 'The most similar record first.',
    }),
    duplicate_of: Type.Optional(Uuid()),
  },
  { $id: 'SurprisePreview' },
)
export type SurprisePreview = Static<typeof SurprisePreview>
