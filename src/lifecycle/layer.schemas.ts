import Type, { type Static } from 'typebox'
import { closed } from '../domain/shapes.ts'
import { Layer } from '../domain/vocabulary.ts'

export const LayerMove = closed(
  {
    layer: Type.Optional(Layer),
    actor: Type.String({ minLength: 1, maxLength: 256, examples: ['curator'] }),
    rationale: Type.String({ minLength: 1, maxLength: 4_096, examples: ['it holds everywhere'] }),
  },
  {
    $id: 'LayerMove',
    description: 'Without `layer` the record moves by one step in the order working, episodic, semantic.',
    examples: [{ actor: 'curator', rationale: 'it holds everywhere' }],
  },
)
export type LayerMove = Static<typeof LayerMove>
