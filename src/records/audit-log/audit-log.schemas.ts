import Type, { type Static } from 'typebox'
import { MaskSecrets } from '../../domain/schemas/request-fields.ts'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, RowNumber, Time, Uuid } from '../../domain/schemas/shapes.ts'
import { Via } from '../via.ts'

export const AuditEntry = closed(
  {
    action: Type.Enum(
      [
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
      ],
      { description: 'What was done to the record.' },
    ),
    actor: Type.String({ description: 'Who did it, as the request named it.' }),
    timestamp: Time({ description: 'When it was done.' }),
    rationale: Type.String({ description: 'Why.' }),
    run_id: Type.Optional(Uuid({ description: 'The maintenance run that did it.' })),
    operation_id: Type.Optional(
      Uuid({ description: 'The revision that did it; `POST /v1/records/{id}/revert` takes it back.' }),
    ),
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

export const AuditQuery = closed({ mask_secrets: MaskSecrets(), ...pageParameters(100) })
export type AuditQuery = Static<typeof AuditQuery>
export const AuditPage = listOf(ref(AuditEntry), 'AuditPage')
export const AuditCursor = Type.Object({ id: RowNumber() })
