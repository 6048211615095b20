import Type, { type Static } from 'typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Time, Unit, Uuid } from '../../domain/schemas/shapes.ts'
import { Status } from '../../domain/schemas/vocabulary.ts'
import { Via } from '../../records/index.ts'

export const HistoryQuery = closed(pageParameters(100))
export type HistoryQuery = Static<typeof HistoryQuery>

export const ImportanceMove = closed(
  {
    old: Unit({ description: 'The importance before.' }),
    new: Unit({ description: 'The importance after.' }),
    changed_at: Time(),
    run_id: Type.Optional(
      Uuid({
        description: 'The run that changed the importance. Absent if a use or a change of the record did.',
      }),
    ),
  },
  { $id: 'ImportanceMove' },
)
export type ImportanceMove = Static<typeof ImportanceMove>

export const ImportanceHistory = listOf(ref(ImportanceMove), 'ImportanceHistory')

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
