import Type, { type Static } from 'typebox'
import { closed, Time, Uuid } from '../../domain/schemas/shapes.ts'

export const NewAccess = closed(
  {
    actor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Who used the record. Default: the name of the key.',
      }),
    ),
  },
  { $id: 'NewAccess', examples: [{ actor: 'agent-7' }] },
)

export const AccessReceipt = closed(
  { id: Uuid(), access_count: Type.Integer({ minimum: 0 }), last_accessed_at: Time() },
  { $id: 'AccessReceipt', description: 'The counted use.' },
)
export type AccessReceipt = Static<typeof AccessReceipt>
