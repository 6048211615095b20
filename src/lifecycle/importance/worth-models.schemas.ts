import Type from 'typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Time } from '../../domain/schemas/shapes.ts'

export const WorthModel = closed(
  {
    id: Type.String(),
    source: Type.Enum(['shipped'], { description: '`shipped`: the weights come with the release.' }),
    in_force: Type.Boolean({ description: 'Whether new records are judged by these weights.' }),
    uses: Type.Integer({
      minimum: 0,
      description: 'The number of uses of this store to which the weights were fitted.',
    }),
    created_at: Time(),
  },
  { $id: 'WorthModel', description: 'Weights by which the base importance of a new record is judged.' },
)
export const WorthModelPage = listOf(ref(WorthModel), 'WorthModelPage')

export const WorthModelsQuery = closed(pageParameters(50))

export const WorthModelPath = closed({
  id: Type.String({ minLength: 1, maxLength: 256, description: 'The id of the model.' }),
})
const unused = 'Required, but not stored, because nothing changes.'
export const WorthModelChoice = closed(
  {
    pinned: Type.Optional(
      Type.Boolean({ description: 'Has no effect, because no other model can replace the one in force.' }),
    ),
    actor: Type.String({ minLength: 1, maxLength: 256, description: unused }),
    rationale: Type.String({ minLength: 1, maxLength: 4_096, description: unused }),
  },
  {
    $id: 'WorthModelChoice',
    examples: [{ actor: 'planner', rationale: 'back to the weights of the release' }],
  },
)
