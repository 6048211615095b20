import Type, { type Static } from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { closed, listOf, Time, Uuid } from '../domain/shapes.ts'
import { Sensitivity, SourceType } from '../domain/vocabulary.ts'
import { Problem } from '../http/problem-responses.ts'
import { Erasure, ErasureReceipt, WrittenRecord } from '../records/index.ts'

const optional = Type.Optional
const ConversationId = (options: Type.TSchemaOptions = {}) =>
  Type.String({
    ...options,
    minLength: 1,
    maxLength: 256,
    description: 'The id of the conversation, unique in its scope.',
    examples: ['support-4711'],
  })
const MessageId = () =>
  Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'The id of the message, unique in the conversation.',
  })
const where = {
  scope: optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'The scope of the conversation. Default: the scope of the key, or none for a key of all scopes.',
    }),
  ),
  unscoped: optional(
    Type.Boolean({ default: false, description: 'The conversation has no scope, although the key has one.' }),
  ),
}
export const NewMessage = closed(
  {
    id: optional(MessageId()),
    role: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Who writes: `user`, `assistant`, `tool`, `system` or any other word.',
    }),
    name: optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'The name of the writer. A question that names them finds their messages before those of others.',
      }),
    ),
    content: Type.String({ minLength: 1, maxLength: 100_000, description: 'The text, stored as it is.' }),
    at: optional(Time({ description: 'When it was written; not in the future. Default: now.' })),
    metadata: optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Stored, but not searched.' }),
    ),
  },
  { $id: 'NewMessage' },
)
export type NewMessage = Static<typeof NewMessage>

export const NewMessages = closed(
  {
    scope: optional(Type.String({ minLength: 1, maxLength: 256 })),
    sensitivity: optional(Sensitivity),
    tags: optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 100 })),
    source_type: optional(SourceType),
    messages: Type.Array(ref(NewMessage), { minItems: 1, maxItems: 1_000 }),
  },
  {
    $id: 'NewMessages',
    examples: [
      {
        messages: [
          { id: 'm1', role: 'user', name: 'Ada', content: 'Which region does billing run in?' },
          { id: 'm2', role: 'assistant', content: 'In eu-west-1 since March.' },
        ],
      },
    ],
  },
)
export type NewMessages = Static<typeof NewMessages>

export const Conversation = closed(
  {
    id: ConversationId(),
    scope: optional(Type.String()),
    messages: Type.Integer({
      minimum: 0,
      description: 'How many messages this key sees: 0, and no times, if all of them were forgotten.',
    }),
    first_at: optional(Time({ description: 'When the earliest message was written.' })),
    last_at: optional(Time({ description: 'When the latest message was written.' })),
    speakers: Type.Array(closed({ name: Type.String(), messages: Type.Integer({ minimum: 1 }) }), {
      description: 'Names, or roles where there is no name; at most 100, those with the most messages first.',
    }),
    updated_at: optional(Time({ description: 'When a message was added last.' })),
  },
  { $id: 'Conversation' },
)
export type Conversation = Static<typeof Conversation>
const ConversationReceipt = closed(
  { id: ConversationId(), scope: optional(Type.String()) },
  {
    $id: 'ConversationReceipt',
    description: 'The answer to a write by a key without the permission records:read.',
  },
)
const WrittenConversation = Type.Union([ref(Conversation), ref(ConversationReceipt)], {
  $id: 'WrittenConversation',
})
export type WrittenConversation = Static<typeof Conversation> | Static<typeof ConversationReceipt>
export const ConversationPage = listOf(ref(Conversation), 'ConversationPage')

const Position = () =>
  Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    description: 'Ascends in the order of the conversation, with gaps. Negative before 1970.',
  })
export const ConversationMessage = closed(
  {
    message_id: MessageId(),
    record_id: Uuid(),
    role: Type.String(),
    name: optional(Type.String()),
    content: Type.String({
      description: 'What it says. Of a captured event its summary, else the text that was captured.',
    }),
    at: Time(),
    position: Position(),
    metadata: optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { $id: 'ConversationMessage' },
)
export const RedactedMessage = closed(
  { record_id: Uuid(), at: Time(), position: Position(), redacted: Type.Literal(true) },
  { $id: 'RedactedMessage', description: 'A message that this key may know of, but not read.' },
)
export type ListedMessage = Static<typeof ConversationMessage> | Static<typeof RedactedMessage>
export const MessagePage = listOf(Type.Union([ref(ConversationMessage), ref(RedactedMessage)]), 'MessagePage')

export const AppendedMessages = closed(
  {
    items: Type.Array(
      closed({
        message_id: MessageId(),
        record_id: Uuid(),
        status: Type.Enum(['created', 'unchanged']),
      }),
      { description: 'In the order of the request.' },
    ),
    conversation: ref(WrittenConversation),
  },
  { $id: 'AppendedMessages' },
)
export type AppendedMessages = Static<typeof AppendedMessages>

export const ConversationPath = Type.Object({
  conversation_id: ConversationId({ missing: 'validation_failed' }),
})
export const ConversationQuery = closed({ ...where })
export type Where = Static<typeof ConversationQuery>
const page = {
  limit: optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  cursor: optional(Type.String({ maxLength: 2_048 })),
}
export const ConversationsQuery = closed({
  scope: optional(Type.String({ minLength: 1, maxLength: 256, description: 'Only of this scope.' })),
  ...page,
})
export type ConversationsQuery = Static<typeof ConversationsQuery>
export const MessagesQuery = closed({ ...where, ...page })
export type MessagesQuery = Static<typeof MessagesQuery>

const cursor = optional(
  Type.String({
    maxLength: 2_048,
    description: 'The `next_cursor` of the answer before: goes on after its messages, also the kept ones.',
  }),
)
export const ConversationRemovalQuery = closed({
  ...where,
  actor: Type.String({ minLength: 1, maxLength: 256 }),
  rationale: Type.String({ minLength: 1, maxLength: 4_096 }),
  cursor,
})
export type ConversationRemovalQuery = Static<typeof ConversationRemovalQuery>

export const ConversationErasure = closed(
  { ...where, ...Erasure.properties, cursor },
  { $id: 'ConversationErasure', examples: [{ actor: 'privacy-team', rationale: 'asked by the customer' }] },
)
export type ConversationErasure = Static<typeof ConversationErasure>

const result = { id: Uuid(), status: Type.Integer({ description: 'The HTTP status for this message.' }) }
const problem = optional(ref(Problem))
const next_cursor = optional(
  Type.String({ description: 'There are more messages: send the request again with this `cursor`.' }),
)
export const ForgottenMessages = closed(
  { results: Type.Array(closed({ ...result, record: optional(ref(WrittenRecord)), problem })), next_cursor },
  { $id: 'ForgottenMessages' },
)
export const ErasedMessages = closed(
  {
    results: Type.Array(closed({ ...result, receipt: optional(ref(ErasureReceipt)), problem })),
    next_cursor,
  },
  { $id: 'ErasedMessages' },
)
