import * as conversations from '../../../src/conversations/conversations.queries.ts'
import type { Sample } from './deletion-samples.ts'

const trust = { maxSensitivity: 'low', scopes: ['team'] } as const
const place = { scope: 'team', conversation: 'support-4711' }
const at = '2026-01-01T00:00:00.000Z'

/** The statements behind conversations and their messages. */
export const conversationSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/conversations/conversations.queries.ts': {
    findFigures: (db) => conversations.findFigures(db, trust, place),
    listMessages: {
      'the first page': (db) => conversations.listMessages(db, trust, place, { limit: 101 }),
      'a later page': (db) =>
        conversations.listMessages(db, trust, place, { after: { at, arrival: 7 }, limit: 101 }),
    },
    listConversations: {
      'the first page': (db) => conversations.listConversations(db, trust, { scope: undefined, limit: 101 }),
      'a later page of one scope': (db) =>
        conversations.listConversations(db, trust, {
          scope: 'team',
          after: { last_at: at, ...place },
          limit: 101,
        }),
    },
  },
}
