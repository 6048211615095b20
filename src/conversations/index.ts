/**
 * Conversations: messages in order, each stored as an episodic record.
 * Here: appending, listing and removing messages. `message-reading/` reads them in the forms of chat APIs.
 * Not here: how neighbours count in a search (retrieval), and what is learnt from messages (consolidation).
 */
export { createConversationRemovalService } from './conversation-removal.service.ts'
export { conversationsRoutes } from './conversations.routes.ts'
export { createConversationsService } from './conversations.service.ts'
export { createMessageAppending } from './message-appending.service.ts'
export { createMessageConflictError } from './message-comparison.ts'
export { createMessageRecord } from './message-draft.ts'
