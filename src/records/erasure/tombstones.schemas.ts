import Type, { type Static } from 'typebox'
import { ref } from '../../domain/schema-ref.ts'
import { closed, listOf, pageParameters, Time, Uuid } from '../../domain/shapes.ts'
import { Via } from '../via.ts'

export const Tombstone = closed(
  {
    id: Uuid(),
    scope: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    created_at: Time(),
    actor: Type.String(),
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
export const TombstonePath = Type.Object({ id: Uuid({ missing: 'tombstone_not_found' }) })
export const TombstonesQuery = closed(pageParameters(50))
export type TombstonesQuery = Static<typeof TombstonesQuery>
export const TombstoneCursor = Type.Object({ created_at: Time(), id: Uuid() })
