import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import type { Once } from '../http/idempotency/idempotency.ts'
import { sendPage } from '../http/paging/paging.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { answerRefused } from '../http/problems/problems.ts'
import { AppError } from '../kernel/errors.ts'
import type { ConversationRemovalService, Removal } from './conversation-removal.service.ts'
import {
  AppendedMessages,
  Conversation,
  ConversationErasure,
  ConversationPage,
  ConversationPath,
  ConversationQuery,
  ConversationRemovalQuery,
  ConversationsQuery,
  ErasedMessages,
  ForgottenMessages,
  MessagePage,
  MessagesQuery,
  NewConversationPath,
} from './conversations.schemas.ts'
import type { ConversationsService } from './conversations.service.ts'
import type { MessageAppending } from './message-appending.service.ts'
import { readStorable } from './message-reading/storable-messages.service.ts'
import { NewMessages } from './new-messages.schemas.ts'

export type ConversationsOptions = {
  conversations: ConversationsService
  messageAppending: MessageAppending
  conversationRemoval: ConversationRemovalService
  once: Once
}

const tags = ['conversations']

export const conversationsRoutes: FastifyPluginAsyncTypebox<ConversationsOptions> = async (
  app,
  { conversations, messageAppending, conversationRemoval, once },
) => {
  app.post(
    '/v1/conversations/:conversation_id/messages',
    {
      // An image in a part that is left out may be longer than a text that is stored.
      config: { permission: 'records:write', keepsBodyFault: true },
      schema: {
        operationId: 'appendMessages',
        tags,
        summary: 'Add messages to a conversation',
        description:
          'Stores each message as an episodic record: all messages of the request or none. The first message creates the conversation. A writer with a `name` is an entity of the scope, which is created if there is none of that name; a role alone creates none. The `content` may be a text, or the list of parts of a chat API with its calls of tools and their results; a message that has neither a text nor a call, such as an image, is `skipped`, and so is a prompt: a message of the role `system` or `developer` without an id. A message whose id is stored already is `unchanged`; if its text, its calls or its writer differ, the request is refused with 409 `message_conflict`. Messages without ids are compared with those at the same places of the conversation: equal messages are `unchanged`, the rest is appended. So a whole conversation can be sent again. If one of its messages was purged, this message is then stored again once, at its place and time. To repeat a part of a conversation, use an `Idempotency-Key`. Messages are ordered by `at`, then by arrival.',
        params: NewConversationPath,
        body: ref(NewMessages),
        response: answers(
          { 201: { schema: ref(AppendedMessages), description: 'The result for each message.' } },
          [
            'outside_trust',
            'scope_required',
            'erased_content',
            'message_conflict',
            'tombstone_key_mismatch',
            'route_not_found',
          ],
        ),
      },
    },
    (request, reply) => {
      const given = readStorable(request.body, request.bodyFault)
      return once(request, reply, async (call) => ({
        status: 201,
        body: await messageAppending.append(call, request.params.conversation_id, given),
      }))
    },
  )

  app.get(
    '/v1/conversations',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listConversations',
        tags,
        summary: 'List conversations',
        description:
          'Lists conversations; the one with the newest addition comes first. Messages that the key cannot see are not counted.',
        querystring: ConversationsQuery,
        response: answers(
          {
            200: {
              schema: ref(ConversationPage),
              description: 'A page of conversations.',
              headers: ['Link'],
            },
          },
          ['invalid_cursor'],
        ),
      },
    },
    async (request, reply) =>
      sendPage(request, reply, await conversations.list(request.caller, request.query)),
  )

  app.get(
    '/v1/conversations/:conversation_id',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'readConversation',
        tags,
        summary: 'Read the figures of a conversation',
        description:
          'Returns the number of messages, the speakers, and the first and last time, counted over the messages that the key can see. A redacted message counts, but its speaker does not.',
        params: ConversationPath,
        querystring: ConversationQuery,
        response: answers(
          { 200: { schema: ref(Conversation), description: 'The figures of the conversation.' } },
          ['conversation_not_found', 'scope_required'],
        ),
      },
    },
    async (request) => conversations.read(request.caller, request.params.conversation_id, request.query),
  )

  app.get(
    '/v1/conversations/:conversation_id/messages',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listMessages',
        tags,
        summary: 'Page through the messages of a conversation',
        description:
          'Lists the messages in the order of the conversation. A page ends early after 16 MiB of messages.',
        params: ConversationPath,
        querystring: MessagesQuery,
        response: answers(
          { 200: { schema: ref(MessagePage), description: 'A page of messages.', headers: ['Link'] } },
          ['invalid_cursor', 'scope_required', 'conversation_not_found'],
        ),
      },
    },
    async (request, reply) => {
      const { conversation_id: id } = request.params
      return sendPage(request, reply, await conversations.listIn(request.caller, id, request.query))
    },
  )

  app.delete(
    '/v1/conversations/:conversation_id',
    {
      config: { permission: 'records:write' },
      schema: {
        operationId: 'deleteConversation',
        tags,
        summary: 'Forget the messages of a conversation',
        description:
          'Forgets up to 500 messages, each in the same way as `DELETE /v1/records/{id}`, and lists them. If the records of the answer have more than 16 MiB, the later ones have only `id` and `version`. While the answer has a `next_cursor`, send the request again with that as `cursor`. A pinned message, or one with the deletion policy `never`, is kept.',
        params: ConversationPath,
        querystring: ConversationRemovalQuery,
        response: answers(
          { 200: { schema: ref(ForgottenMessages), description: 'The result for each message.' } },
          ['conversation_not_found', 'scope_required', 'invalid_cursor'],
        ),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => ({
        status: 200,
        body: answerEach(
          await conversationRemoval.forget(call, request.params.conversation_id, request.query),
          (record) => ({ record }),
          request.id,
        ),
      })),
  )

  app.post(
    '/v1/conversations/:conversation_id/erase',
    {
      config: { permission: 'lifecycle:write' },
      schema: {
        operationId: 'eraseConversation',
        tags,
        summary: 'Erase the messages of a conversation for good',
        description:
          'Erases up to 500 messages, forgotten ones too, and the records that were derived from them alone, each in the same way as `POST /v1/records/{id}/erase`. While the answer has a `next_cursor`, send the request again with that as `cursor`.',
        params: ConversationPath,
        body: ref(ConversationErasure),
        response: answers(
          { 200: { schema: ref(ErasedMessages), description: 'The result for each message.' } },
          [
            'conversation_not_found',
            'scope_required',
            'invalid_cursor',
            'tombstone_key_missing',
            'tombstone_key_mismatch',
          ],
        ),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => ({
        status: 200,
        body: answerEach(
          await conversationRemoval.erase(call, request.params.conversation_id, request.body),
          (receipt) => ({ receipt }),
          request.id,
        ),
      })),
  )
}

function answerEach<T, Shown extends object>(
  { outcomes, ...next }: Removal<T>,
  show: (outcome: T) => Shown,
  requestId: string,
) {
  const results = outcomes.map(({ id, outcome }) => ({
    id,
    ...(outcome instanceof AppError ? answerRefused(outcome, requestId) : { status: 200, ...show(outcome) }),
  }))
  return { results, ...next }
}
