import Type, { type Static } from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { closed, listOf, pageParameters, Time } from '../domain/shapes.ts'
import { Status } from '../domain/vocabulary.ts'
import { Via } from '../records/index.ts'

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

export const StatusHistoryQuery = closed(pageParameters(100))
export type StatusHistoryQuery = Static<typeof StatusHistoryQuery>

export const StatusChange = closed(
  {
    old: Status,
    new: Status,
    reason: Type.String({ description: 'Empty for an erased record.' }),
    actor: Type.String(),
    step: Type.String({
      description: 'What changed the status: `manual` for a request, otherwise the operation of the service.',
    }),
    changed_at: Time(),
    via: Type.Optional(ref(Via)),
  },
  { $id: 'StatusChange' },
)
export type StatusChange = Static<typeof StatusChange>

export const StatusHistory = listOf(ref(StatusChange), 'StatusHistory')
