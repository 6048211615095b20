import Type, { type Static } from 'typebox'
import { Actor, Rationale } from '../../domain/schemas/request-fields.ts'
import { closed } from '../../domain/schemas/shapes.ts'
import { Layer } from '../../domain/schemas/vocabulary.ts'

export const LayerMove = closed(
  {
    layer: Type.Optional(
      Type.Enum([...Layer.enum], { description: 'The new layer. Default: the next one in this direction.' }),
    ),
    actor: Actor('curator'),
    rationale: Rationale('it holds everywhere'),
  },
  {
    $id: 'LayerMove',
    description: 'Without `layer` the record moves by one step in the order working, episodic, semantic.',
    examples: [{ actor: 'curator', rationale: 'it holds everywhere' }],
  },
)
export type LayerMove = Static<typeof LayerMove>
