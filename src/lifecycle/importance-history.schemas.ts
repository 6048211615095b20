import Type, { type Static } from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { closed, listOf, pageParameters, Time, Unit, Uuid } from '../domain/shapes.ts'

export const ImportanceHistoryQuery = closed(pageParameters(100))
export type ImportanceHistoryQuery = Static<typeof ImportanceHistoryQuery>

export const ImportanceMove = closed(
  {
    old: Unit(),
    new: Unit(),
    changed_at: Time(),
    run_id: Type.Optional(
      Uuid({
        description: 'The run that changed the importance. Absent when a use or a change of the record did.',
      }),
    ),
  },
  { $id: 'ImportanceMove' },
)
export type ImportanceMove = Static<typeof ImportanceMove>

export const ImportanceHistory = listOf(ref(ImportanceMove), 'ImportanceHistory')
