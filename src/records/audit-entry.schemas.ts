import Type, { type Static } from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { closed, Time, Uuid } from '../domain/shapes.ts'
import { Via } from './via.ts'

export const AuditEntry = closed(
  {
    action: Type.Enum([
      'create',
      'revise',
      'fork',
      'merge',
      'delete',
      'reinforce',
      'decay',
      'restore',
      'erase',
      'status',
      'promote',
      'demote',
      'pin',
      'unpin',
      'archive',
      'undo',
    ]),
    actor: Type.String(),
    timestamp: Time(),
    rationale: Type.String(),
    run_id: Type.Optional(Uuid()),
    operation_id: Type.Optional(Uuid()),
    changes: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.Unknown(), { minItems: 2, maxItems: 2 }), {
        description: 'Maps each changed field to [before, after].',
      }),
    ),
    via: Type.Optional(ref(Via)),
  },
  { $id: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>
