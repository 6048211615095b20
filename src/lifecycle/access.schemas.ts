import Type, { type Static } from 'typebox'
import { closed, Time, Uuid } from '../domain/shapes.ts'

export const AccessPath = Type.Object({ id: Uuid() })

export const NewAccess = closed(
  {
    actor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: "Who used it; the key's name when left out.",
      }),
    ),
  },
  { $id: 'NewAccess', examples: [{ actor: 'agent-7' }] },
)

export const AccessReceipt = closed(
  { id: Uuid(), access_count: Type.Integer({ minimum: 0 }), last_accessed_at: Time() },
  { $id: 'AccessReceipt' },
)
export type AccessReceipt = Static<typeof AccessReceipt>
