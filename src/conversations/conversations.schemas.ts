import Type, { type Static } from 'typebox'
import {
  Actor,
  ChosenScope,
  NewSensitivity,
  NewSourceType,
  Rationale,
  Scope,
  Tags,
} from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Time, Uuid } from '../domain/schemas/shapes.ts'
import { Problem } from '../http/problems/problem-responses.ts'
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
  scope: optional(ChosenScope('The scope of the conversation.')),
  unscoped: optional(
    Type.Boolean({
      default: false,
      description: 'true: the conversation without a scope, for a key that is bound to scopes.',
    }),
  ),
}
export const NewMessage = closed(
  {
    id: optional(MessageId()),
    role: Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'Who writes: `user`, `assistant`, `tool`, `system` or any other word. `ai`, `bot`, `model` and `agent` mean an assistant too.',
    }),
    name: optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'The name of the writer. A question with this name finds the messages of this writer first.',
      }),
    ),
    content: Type.String({ minLength: 1, maxLength: 100_000, description: 'The text, stored as it is.' }),
    at: optional(
      Time({
        description:
          'When it was written: it decides the order of the messages. `created_at` of the record is always the time of the call. Must not be in the future. Default: now.',
      }),
    ),
    metadata: optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Stored, but not searched.' }),
    ),
  },
  { $id: 'NewMessage' },
)
export type NewMessage = Static<typeof NewMessage>

export const NewMessages = closed(
  {
    scope: optional(ChosenScope('The scope of the conversation.')),
    sensitivity: optional(NewSensitivity()),
    tags: optional(Tags('Tags of the messages.')),
    source_type: optional(NewSourceType()),
    messages: Type.Array(ref(NewMessage), {
      minItems: 1,
      maxItems: 1_000,
      description: 'The messages, in the order of the conversation.',
    }),
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
      description:
        'How many messages this key can see, redacted ones included. If all were forgotten, it is 0 and the times are absent.',
    }),
    first_at: optional(Time({ description: 'When the earliest message was written.' })),
    last_at: optional(Time({ description: 'When the latest message was written.' })),
    speakers: Type.Array(closed({ name: Type.String(), messages: Type.Integer({ minimum: 1 }) }), {
      description:
        'The names of the writers, or their roles where there is no name: at most 100, those with the most messages first.',
    }),
    updated_at: optional(
      Time({ description: 'When the last message was added. An imported message counts with its own time.' }),
    ),
  },
  { $id: 'Conversation' },
)
export type Conversation = Static<typeof Conversation>
const ConversationReceipt = closed(
  { id: ConversationId(), scope: optional(Type.String()) },
  {
    $id: 'ConversationReceipt',
    description: 'The response to a write with a key without the permission records:read.',
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
    description:
      'The place in the conversation: later messages have higher numbers, with gaps. Negative before 1970.',
  })
export const ConversationMessage = closed(
  {
    message_id: MessageId(),
    record_id: Uuid(),
    role: Type.String(),
    name: optional(Type.String()),
    content: Type.String({
      description:
        'The text of the message. For a captured event its summary, or the captured text if it has no summary.',
    }),
    at: Time(),
    position: Position(),
    metadata: optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { $id: 'ConversationMessage' },
)
export const RedactedMessage = closed(
  { record_id: Uuid(), at: Time(), position: Position(), redacted: Type.Literal(true) },
  {
    $id: 'RedactedMessage',
    description: 'A message that is one sensitivity level above the ceiling of the key: its text is hidden.',
  },
)
export type ListedMessage = Static<typeof ConversationMessage> | Static<typeof RedactedMessage>
const SeenMessage = Type.Union([ref(ConversationMessage), ref(RedactedMessage)], { $id: 'SeenMessage' })
export const MessagePage = listOf(ref(SeenMessage), 'MessagePage')

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
const page = pageParameters(100)
export const ConversationsQuery = closed({
  scope: optional(Scope('Only conversations of this scope.')),
  ...page,
})
export type ConversationsQuery = Static<typeof ConversationsQuery>
export const MessagesQuery = closed({ ...where, ...page })
export type MessagesQuery = Static<typeof MessagesQuery>

const cursor = optional(
  Type.String({
    maxLength: 2_048,
    description:
      'The `next_cursor` of the previous answer: continues after its messages, those that were kept included.',
  }),
)
export const ConversationRemovalQuery = closed({
  ...where,
  actor: Actor(),
  rationale: Rationale(),
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
  Type.String({
    description: 'Present if there are more messages: send the request again with this as `cursor`.',
  }),
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
