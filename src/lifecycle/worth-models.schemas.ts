import Type from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { closed, listOf, pageParameters, Time } from '../domain/shapes.ts'
import { Reason } from './reinforcement.schemas.ts'

export const WorthModel = closed(
  {
    id: Type.String(),
    source: Type.Enum(['shipped'], { description: '`shipped`: the weights come with the release.' }),
    in_force: Type.Boolean({ description: 'Whether new records are judged by it.' }),
    uses: Type.Integer({ minimum: 0, description: 'How many uses of this store it was fitted to.' }),
    created_at: Time(),
  },
  { $id: 'WorthModel', description: 'Weights by which the base importance of a new record is judged.' },
)
export const WorthModelPage = listOf(ref(WorthModel), 'WorthModelPage')

export const WorthModelsQuery = closed(pageParameters(50))

export const WorthModelPath = closed({ id: Type.String({ minLength: 1, maxLength: 256 }) })
export const WorthModelChoice = closed(
  {
    pinned: Type.Optional(
      Type.Boolean({ description: 'Has no effect, because no other model can replace the one in force.' }),
    ),
    ...Reason.properties,
  },
  {
    $id: 'WorthModelChoice',
    examples: [{ actor: 'planner', rationale: 'back to the weights of the release' }],
  },
)
