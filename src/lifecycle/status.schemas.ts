import Type, { type Static } from 'typebox'
import { closed } from '../domain/shapes.ts'
import { Status } from '../domain/vocabulary.ts'

export const Transition = closed(
  {
    status: Status,
    reason: Type.String({ minLength: 1, maxLength: 4_096, examples: ['the source took it back'] }),
    actor: Type.String({ minLength: 1, maxLength: 256, examples: ['reviewer'] }),
  },
  {
    $id: 'Transition',
    examples: [{ status: 'challenged', reason: 'the source took it back', actor: 'reviewer' }],
  },
)
export type Transition = Static<typeof Transition>
