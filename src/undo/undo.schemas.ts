import Type, { type Static } from 'typebox'
import { ChangeSelector } from '../domain/run-actions.ts'
import { Actor, Rationale } from '../domain/schemas/request-fields.ts'
import { closed } from '../domain/schemas/shapes.ts'

export const NewUndo = closed(
  {
    actor: Actor(),
    rationale: Rationale(),
    only: Type.Optional(
      Type.Array(ChangeSelector, {
        minItems: 1,
        maxItems: 1_000,
        description:
          'Actions of the run and ids of records: only these changes are taken back. Default: all.',
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'true: list what the undo would do, and change no record.',
      }),
    ),
  },
  { $id: 'NewUndo', examples: [{ actor: 'operator', rationale: 'the half-life was too short' }] },
)
export type NewUndo = Static<typeof NewUndo>
