import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import * as linked from '../../../src/dream/entity-facts.queries.ts'
import * as probing from '../../../src/dream/probing/probing.queries.ts'
import * as profiles from '../../../src/dream/profiles/profiles.queries.ts'
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

/** Queries of profiles, synthesis and belief probes. */
export const dreamModelSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/dream/profiles/profiles.queries.ts': {
    listWellKnownEntities: (db) =>
      profiles.listWellKnownEntities(db, { scope: 'team', ceiling: 'low', after: id, until: id, limit: 100 }),
    findLastProfiledEntity: (db) => profiles.findLastProfiledEntity(db),
    findWrittenProfile: (db) => profiles.findWrittenProfile(db, id),
    findProfiles: (db) =>
      profiles.findProfiles(db, { digest, scope: 'team', profileId: id, author: 'dream' }),
    listStaleProfiles: (db) =>
      profiles.listStaleProfiles(db, { scope: 'team', ceiling: 'low', profileId: id }),
    upsertProfileRow: (db) =>
      inTransaction(db, (tx) =>
        profiles.upsertProfileRow(tx, { entity_id: id, card_id: id, digest, written_at: now }),
      ),
  },
  'src/dream/entity-facts.queries.ts': {
    isProfile: (db) => select(db, linked.isProfile('r')),
    isWritableEntity: (db) => select(db, linked.isWritableEntity('low')),
    findEntity: (db) => linked.findEntity(db, { id, ceiling: 'low' }),
    findEntityFacts: {
      '': (db) => linked.findEntityFacts(db, id, { limit: 40 }),
      'of some': (db) => linked.findEntityFacts(db, id, { limit: 40, onlyIds: [id] }),
    },
  },
  'src/dream/probing/probing.queries.ts': {
    listDue: (db) => probing.listDue(db, { ...due, scope: 'team', limit: 5 }),
    findBelief: (db) => probing.findBelief(db, { ...due, id }),
    findRelatedRecords: (db) => probing.findRelatedRecords(db, id, { limit: 10, onlyIds: [id] }),
    upsertProbe: (db) => inTransaction(db, (tx) => probing.upsertProbe(tx, id, now)),
  },
  'src/dream/synthesis/synthesis.queries.ts': {
    listScopes: (db) => synthesising.listScopes(db, { scope: null, ceiling: 'low', limit: 20 }),
    listMostReferencedEntities: (db) =>
      synthesising.listMostReferencedEntities(db, { scope: 'team', ceiling: 'low', limit: 500 }),
    findEntityVectors: (db) => synthesising.findEntityVectors(db, { ids: [id], modelId: 1, limit: 30 }),
    findUnrelatedPairs: (db) => synthesising.findUnrelatedPairs(db, [{ one: id, other: id }]),
    findRememberedDigests: (db) => synthesising.findRememberedDigests(db, [digest]),
  },
}
