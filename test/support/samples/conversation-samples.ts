import * as conversations from '../../../src/conversations/conversations.queries.ts'
import * as appending from '../../../src/conversations/message-appending.queries.ts'
import type { Sample } from './deletion-samples.ts'

const trust = { maxSensitivity: 'low', scopes: ['team'] } as const
const place = { scope: 'team', conversation: 'support-4711' }
const order = { ...place, sensitivity: 'low' } as const
const message = '0197b9a0-0000-7000-8000-000000000001'
const departed = '0197b9a0-0000-7000-8000-000000000002'
const at = '2026-01-01T00:00:00.000Z'

/** The statements behind conversations and their messages. */
export const conversationSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/conversations/conversations.queries.ts': {
    findFigures: (db) => conversations.findFigures(db, trust, [place]),
    listMessages: {
      'the first page': (db) => conversations.listMessages(db, trust, place, { limit: 101 }),
      'a later page': (db) =>
        conversations.listMessages(db, trust, place, { after: { at, arrival: 7 }, limit: 101 }),
      'with forgotten ones': (db) =>
        conversations.listMessages(db, trust, place, { limit: 101, hasForgotten: true }),
    },
    listConversations: {
      'the first page': (db) => conversations.listConversations(db, trust, { scope: undefined, limit: 101 }),
      'the first page of every scope': (db) =>
        conversations.listConversations(db, { ...trust, scopes: null }, { scope: undefined, limit: 101 }),
      'a later page of one scope': (db) =>
        conversations.listConversations(db, trust, {
          scope: 'team',
          after: { newest: 7 },
          limit: 101,
        }),
    },
  },
  'src/conversations/message-appending.queries.ts': {
    lockOrder: (db) => db.transaction().execute((tx) => appending.lockOrder(tx, order)),
    listEarliest: (db) => db.transaction().execute((tx) => appending.listEarliest(tx, order, 3)),
    leavePlaces: (db) => db.transaction().execute((tx) => appending.leavePlaces(tx, order)),
    takePlaces: (db) =>
      db
        .transaction()
        .execute((tx) => appending.takePlaces(tx, [{ record_id: message, departed_id: departed }])),
    findLatestSince: (db) =>
      db.transaction().execute((tx) => appending.findLatestSince(tx, order, new Date(at))),
    countAtTimes: (db) => db.transaction().execute((tx) => appending.countAtTimes(tx, order, [at])),
  },
}
