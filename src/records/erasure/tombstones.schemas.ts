import Type, { type Static } from 'typebox'
import { ref } from '../../domain/schema-ref.ts'
import { closed, listOf, Time, Uuid } from '../../domain/shapes.ts'
import { Via } from '../via.ts'

export const Tombstone = closed(
  {
    id: Uuid(),
    scope: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    created_at: Time(),
    actor: Type.String(),
    via: Type.Optional(ref(Via)),
  },
  { $id: 'Tombstone', description: 'That something was erased from a scope, and may not come back to it.' },
)
export type Tombstone = Static<typeof Tombstone>

export const TombstonePage = listOf(ref(Tombstone), 'TombstonePage')
export const TombstonePath = Type.Object({ id: Uuid({ missing: 'tombstone_not_found' }) })
export const TombstonesQuery = closed({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'Items of a page.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 2_048, description: '`next_cursor` of the page before.' })),
})
export type TombstonesQuery = Static<typeof TombstonesQuery>
export const TombstoneCursor = Type.Object({ created_at: Time(), id: Uuid() })
