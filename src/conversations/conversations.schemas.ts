import Type, { type Static } from 'typebox'
import { EpisodicPayload } from '../domain/payloads/payloads.ts'
import {
  Actor,
  ChosenScope,
  ConversationId,
  MaskSecrets,
  NewConversationId,
  Rationale,
  Scope,
} from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Time, Uuid } from '../domain/schemas/shapes.ts'
import { Problem } from '../http/problems/problem-responses.ts'
import { Erasure, ErasureReceipt, WrittenRecord } from '../records/index.ts'
import { MessageId } from './new-messages.schemas.ts'

const optional = Type.Optional
const where = {
  scope: optional(ChosenScope('The scope of the conversation.')),
  unscoped: optional(
    Type.Boolean({
      default: false,
      description: 'true: the conversation without a scope, for a key that is bound to scopes.',
    }),
  ),
}
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
        'The text of the message, empty if it only calls tools. For a captured event its summary, or the captured text if it has no summary.',
    }),
    tool_calls: optional(
      Type.Array(EpisodicPayload.properties.tool_graph.items, {
        description: 'The calls of tools in the message, with their `args`, their `result`, or both.',
      }),
    ),
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

const StoredMessage = closed(
  { message_id: MessageId(), record_id: Uuid(), status: Type.Enum(['created', 'unchanged']) },
  { $id: 'StoredMessage' },
)
export type StoredMessage = Static<typeof StoredMessage>
const SkippedMessage = closed(
  { message_id: optional(MessageId()), status: Type.Literal('skipped') },
  {
    $id: 'SkippedMessage',
    description:
      'A message without a text and without a call of a tool, such as an image, or the prompt of an agent. It is not stored.',
  },
)
const AppendedMessage = Type.Union([ref(StoredMessage), ref(SkippedMessage)], { $id: 'AppendedMessage' })

export const AppendedMessages = closed(
  {
    items: Type.Array(ref(AppendedMessage), { description: 'In the order of the request.' }),
    conversation: ref(WrittenConversation),
  },
  { $id: 'AppendedMessages' },
)
export type AppendedMessages = Static<typeof AppendedMessages>

export const ConversationPath = Type.Object({
  conversation_id: ConversationId({ missing: 'validation_failed' }),
})
export const NewConversationPath = Type.Object({
  conversation_id: NewConversationId({ missing: 'validation_failed' }),
})
export const ConversationQuery = closed({ ...where })
export type ConversationQuery = Static<typeof ConversationQuery>
const page = pageParameters(100)
export const ConversationsQuery = closed({
  scope: optional(Scope('Only conversations of this scope.')),
  ...page,
})
export type ConversationsQuery = Static<typeof ConversationsQuery>
export const MessagesQuery = closed({ ...where, mask_secrets: MaskSecrets(), ...page })
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
