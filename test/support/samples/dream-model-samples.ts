import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import * as linked from '../../../src/dream/entity-facts.queries.ts'
import * as probing from '../../../src/dream/probing/probing.queries.ts'
import * as carding from '../../../src/dream/profiles/profiles.queries.ts'
import * as synthesising from '../../../src/dream/synthesis/synthesis.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const digest = Buffer.alloc(16, 1)
const due = { now, ceiling: 'low' } as const
const inTransaction = (db: Database, ask: (tx: Transaction) => Promise<unknown>) =>
  db.transaction().execute(ask)
const select = (db: Database, condition: RawBuilder<SqlBool>) =>
  sql`select r.id from records as r where ${condition}`.execute(db)

/** What is asked when profiles are written, entities compared and beliefs probed. */
export const musingSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/dream/profiles/profiles.queries.ts': {
    listKnownWell: (db) =>
      carding.listKnownWell(db, { scope: 'team', ceiling: 'low', after: id, until: id, limit: 100 }),
    findLastWritten: (db) => carding.findLastWritten(db),
    findWritten: (db) => carding.findWritten(db, id),
    findProfiles: (db) => carding.findProfiles(db, { digest, scope: 'team', cardId: id, author: 'dream' }),
    listLeft: (db) => carding.listLeft(db, 'team'),
    upsertCard: (db) =>
      inTransaction(db, (tx) =>
        carding.upsertCard(tx, { entity_id: id, card_id: id, digest, written_at: now }),
      ),
  },
  'src/dream/entity-facts.queries.ts': {
    isProfile: (db) => select(db, linked.isProfile('r')),
    isOpenEntity: (db) => select(db, linked.isOpenEntity('low')),
    findEntity: (db) => linked.findEntity(db, { id, ceiling: 'low' }),
    findKnown: {
      '': (db) => linked.findKnown(db, id, { limit: 40 }),
      'of some': (db) => linked.findKnown(db, id, { limit: 40, among: [id] }),
    },
    lockTold: (db) => inTransaction(db, (tx) => linked.lockTold(tx, [id])),
    findFigure: (db) => linked.findFigure(db, id, 'pairs_asked'),
  },
  'src/dream/probing/probing.queries.ts': {
    listDue: (db) => probing.listDue(db, { ...due, scope: 'team', limit: 5 }),
    findBelief: (db) => probing.findBelief(db, { ...due, id }),
    findBeside: (db) => probing.findBeside(db, id, 10),
    upsertProbe: (db) => inTransaction(db, (tx) => probing.upsertProbe(tx, id, now)),
  },
  'src/dream/synthesis/synthesis.queries.ts': {
    findServing: (db) => synthesising.findServing(db),
    listScopes: (db) => synthesising.listScopes(db, { scope: null, ceiling: 'low', limit: 20 }),
    listBestKnown: (db) => synthesising.listBestKnown(db, { scope: 'team', ceiling: 'low', limit: 500 }),
    findSaid: (db) => synthesising.findSaid(db, { ids: [id], modelId: 1, most: 30 }),
    findStrangers: (db) => synthesising.findStrangers(db, [{ one: id, other: id }]),
    findRemembered: (db) => synthesising.findRemembered(db, [digest]),
  },
}
