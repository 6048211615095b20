import Type, { type Static } from 'typebox'
import { Actor, Rationale } from '../../domain/schemas/request-fields.ts'
import { closed } from '../../domain/schemas/shapes.ts'
import { Status } from '../../domain/schemas/vocabulary.ts'

export const Transition = closed(
  {
    status: Type.Enum([...Status.enum], { description: 'The new status.' }),
    reason: Rationale('the source took it back'),
    actor: Actor('reviewer'),
  },
  {
    $id: 'Transition',
    examples: [{ status: 'challenged', reason: 'the source took it back', actor: 'reviewer' }],
  },
)
export type Transition = Static<typeof Transition>
