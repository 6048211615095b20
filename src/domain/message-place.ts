import Type, { type Static } from 'typebox'
import { closed, Time } from './shapes.ts'

/** Where an episode that is a message belongs. Identity is the conversation and, beside it, the message id. */
export const MessagePlace = closed(
  {
    id: Type.String({ minLength: 1, maxLength: 256, description: 'The conversation, unique in its scope.' }),
    message_id: Type.String({ minLength: 1, maxLength: 256, description: 'Unique in the conversation.' }),
    position: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'As the client counts.' }),
    ),
    at: Time({ description: 'When it was written. The order of the messages.' }),
    role: Type.String({ minLength: 1, maxLength: 64 }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { description: 'The place of a message in its conversation.' },
)
export type MessagePlace = Static<typeof MessagePlace>
