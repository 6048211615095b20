import Type, { type Static } from 'typebox'
import { closed } from '../domain/shapes.ts'

const Actor = () => Type.String({ minLength: 1, maxLength: 256, examples: ['planner'] })
const Rationale = () => Type.String({ minLength: 1, maxLength: 4_096, examples: ['no longer true'] })

export const DeletionQuery = closed({
  actor: Actor(),
  rationale: Rationale(),
  force: Type.Optional(
    Type.Boolean({ description: 'Forget the record even if it is pinned. Needs the permission admin.' }),
  ),
})
export type DeletionQuery = Static<typeof DeletionQuery>

export const Restoration = closed(
  { actor: Actor(), rationale: Rationale() },
  { $id: 'Restoration', examples: [{ actor: 'planner', rationale: 'it is needed after all' }] },
)
export type Restoration = Static<typeof Restoration>
