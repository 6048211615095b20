import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import * as surprising from '../../../src/embeddings/surprise/surprise-comparison.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const other = '0197b9a0-0000-7000-8000-000000000002'
const compared = {
  id,
  score: 0.1,
  delta: -0.3,
  duplicate_of: other,
  confirms: true,
  neighbours: [{ id: other, similarity: 0.99 }],
}
const inTransaction = (db: Database, ask: (tx: Transaction) => Promise<unknown>) =>
  db.transaction().execute(ask)
const select = (db: Database, conditions: readonly RawBuilder<SqlBool>[]) =>
  sql`select r.id from records as r where ${sql.join([...conditions], sql` and `)}`.execute(db)
const next = { modelId: 1, limit: 250 }

/** Queries of the comparison for surprise. */
export const surpriseSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/embeddings/surprise/surprise-comparison.queries.ts': {
    hasUncompared: (db) => surprising.hasUncompared(db),
    countUncompared: {
      everywhere: (db) => surprising.countUncompared(db, null),
      'in a scope': (db) => surprising.countUncompared(db, 'team'),
    },
    tryLockComparison: (db) => inTransaction(db, (tx) => surprising.tryLockComparison(tx)),
    findStableModel: (db) => inTransaction(db, (tx) => surprising.findStableModel(tx)),
    findUncompared: {
      everywhere: (db) => inTransaction(db, (tx) => surprising.findUncompared(tx, { ...next, scope: null })),
      'in a scope': (db) =>
        inTransaction(db, (tx) => surprising.findUncompared(tx, { ...next, scope: 'team' })),
    },
    listComparableConditions: (db) => select(db, surprising.listComparableConditions('team', 'low')),
    isCompared: (db) => select(db, [surprising.isCompared()]),
    findComparedRecords: (db) => surprising.findComparedRecords(db, [id]),
    writeSurprises: (db) => inTransaction(db, (tx) => surprising.writeSurprises(tx, [compared], now)),
    dropUncompared: (db) => inTransaction(db, (tx) => surprising.dropUncompared(tx, [id])),
  },
}
