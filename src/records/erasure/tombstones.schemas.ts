import Type, { type Static } from 'typebox'
import { Scope } from '../../domain/schemas/request-fields.ts'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Time, Uuid } from '../../domain/schemas/shapes.ts'
import { Via } from '../via.ts'

export const Tombstone = closed(
  {
    id: Uuid(),
    scope: Type.Optional(Scope('The scope in which the content was erased; absent for none.')),
    created_at: Time({ description: 'When the content was erased.' }),
    actor: Type.String({ description: 'Who erased it.' }),
    via: Type.Optional(ref(Via)),
  },
  {
    $id: 'Tombstone',
    description:
      'A mark that some content was erased from a scope. The same content cannot be stored there again.',
  },
)
export type Tombstone = Static<typeof Tombstone>

export const TombstonePage = listOf(ref(Tombstone), 'TombstonePage')
export const TombstonePath = Type.Object({
  id: Uuid({ missing: 'tombstone_not_found', description: 'The id of the tombstone.' }),
})
export const TombstonesQuery = closed(pageParameters(50))
export type TombstonesQuery = Static<typeof TombstonesQuery>
