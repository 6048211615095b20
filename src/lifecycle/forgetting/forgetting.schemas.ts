import Type, { type Static } from 'typebox'
import { Actor, Rationale } from '../../domain/schemas/request-fields.ts'
import { closed } from '../../domain/schemas/shapes.ts'

const why = { actor: Actor('planner'), rationale: Rationale('no longer true') }

export const DeletionQuery = closed({
  ...why,
  force: Type.Optional(
    Type.Boolean({ description: 'Forgets the record even if it is pinned. Needs the permission admin.' }),
  ),
})
export type DeletionQuery = Static<typeof DeletionQuery>

export const Restoration = closed(why, {
  $id: 'Restoration',
  examples: [{ actor: 'planner', rationale: 'it is needed after all' }],
})
export type Restoration = Static<typeof Restoration>
