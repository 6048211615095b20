import Type, { type Static } from 'typebox'
import { closed, Time } from '../schemas/shapes.ts'

/** Where a message belongs. Its conversation and its message id identify it. */
export const MessagePlace = closed(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The id of the conversation, unique in its scope.',
    }),
    message_id: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The id of the message, unique in the conversation.',
    }),
    position: Type.Optional(
      Type.Integer({
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The place in the conversation: later messages have higher numbers, with gaps.',
      }),
    ),
    at: Time({ description: 'When the message was written. It decides the order of the messages.' }),
    role: Type.String({ minLength: 1, maxLength: 64, description: 'The role of the writer.' }),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'The name of the writer.' }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Stored, but not searched.' }),
    ),
  },
  { description: 'The place of a message in its conversation.' },
)
export type MessagePlace = Static<typeof MessagePlace>

/**
 * The position of a message: its time in microseconds since 1970, and after it as many numbers as messages of the same
 * time come before. Negative before 1970; numbers that JSON keeps exactly end in 1684.
 */
export function computePosition(time: string, before = 0): number {
  const [, fraction = ''] = /\.(\d+)/.exec(time) ?? []
  const belowMilliseconds = Number(fraction.slice(3, 6).padEnd(3, '0'))
  return Math.max(Number.MIN_SAFE_INTEGER, Date.parse(time) * 1_000 + belowMilliseconds + before)
}

/** The time in microseconds since 1970, as a text. */
export function formatTime(position: number): string {
  const microseconds = String(position % 1_000).padStart(3, '0')
  return new Date(Math.floor(position / 1_000)).toISOString().replace('Z', `${microseconds}Z`)
}
