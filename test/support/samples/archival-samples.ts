import { sql } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import { defaultRetentionShape } from '../../../src/domain/lifecycle/retention.ts'
import * as archival from '../../../src/dream/archival.queries.ts'
import * as clustering from '../../../src/dream/clustering/clustering.queries.ts'
import * as drift from '../../../src/dream/drift/drift.queries.ts'
import * as verdicts from '../../../src/dream/verdicts.queries.ts'
import { startPosition } from '../../../src/jobs/runs/run-walk.ts'
import * as explaining from '../../../src/lifecycle/explanation/explanation.queries.ts'
import { computeRetentionAt } from '../../../src/lifecycle/importance/retention.queries.ts'
import * as promoting from '../../../src/lifecycle/promotion/promotion.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const digest = Buffer.alloc(16, 1)
const partition = { scope: 'team', memory_kind: 'fact', sensitivity: 'low' } as const
const span = { now, scope: null }
const portion = { now, scope: 'team', after: startPosition, limit: 2_000 }
const settings = { retentionMode: 'huber', retentionShape: defaultRetentionShape } as const
const inTransaction = (db: Database, ask: (tx: Transaction) => Promise<unknown>) =>
  db.transaction().execute(ask)

const retained = (db: Database, mode: 'l2' | 'huber' | 'elastic') =>
  sql`select ${computeRetentionAt(now, { ...settings, retentionMode: mode })} as retention from records as r`.execute(
    db,
  )

/** Queries of promotion, archival and restoration. */
export const archivalSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/lifecycle/importance/retention.queries.ts': {
    computeRetentionAt: {
      l2: (db) => retained(db, 'l2'),
      huber: (db) => retained(db, 'huber'),
      elastic: (db) => retained(db, 'elastic'),
    },
  },
  'src/lifecycle/explanation/explanation.queries.ts': {
    findArchivalValues: (db) => explaining.findArchivalValues(db, id),
    findBudgetValues: (db) => explaining.findBudgetValues(db, id),
    findSurprise: (db) => explaining.findSurprise(db, id, { maxSensitivity: 'low', scopes: ['team'] }),
  },
  'src/dream/verdicts.queries.ts': {
    hasVerdict: (db) => verdicts.hasVerdict(db, { step: 'cluster', digest }),
    upsertVerdict: (db) =>
      inTransaction(db, (tx) => verdicts.upsertVerdict(tx, { step: 'cluster', digest, now })),
    deleteOldVerdicts: (db) => verdicts.deleteOldVerdicts(db, now, 100),
  },
  'src/dream/clustering/clustering.queries.ts': {
    listPartitions: (db) => clustering.listPartitions(db, 'team'),
    readPortion: (db) => clustering.readPortion(db, partition, { modelId: 1, after: id, limit: 250_000 }),
    findMembers: (db) => clustering.findMembers(db, partition, [id]),
    copyCounts: (db) => inTransaction(db, (tx) => clustering.copyCounts(tx, [id], id)),
    findOrphans: (db) => clustering.findOrphans(db, { scope: 'team', after: id, limit: 200 }),
    findListedCandidates: (db) => inTransaction(db, (tx) => clustering.findListedCandidates(tx, id, [id])),
  },
  'src/dream/drift/drift.queries.ts': {
    countChecked: (db) => drift.countChecked(db, { scope: 'team', after: id }),
    listChecked: (db) => drift.listChecked(db, { scope: null, after: id, limit: 200 }),
    listReadable: (db) =>
      drift.listReadable(db, {
        scope: 'team',
        after: id,
        limit: 200,
        trust: { maxSensitivity: 'low', scopes: ['team'] },
      }),
    claimUnchanged: (db) => db.transaction().execute((tx) => drift.claimUnchanged(tx, [{ id, version: 1 }])),
    upsertMiss: (db) =>
      db
        .transaction()
        .execute((tx) =>
          drift.upsertMiss(tx, { record_id: id, run_id: id, missed_at: now, reference: 'src/a.ts' }),
        ),
    deleteMiss: (db) => db.transaction().execute((tx) => drift.deleteMiss(tx, id)),
    findPosition: (db) => drift.findPosition(db, id),
    upsertPosition: (db) => db.transaction().execute((tx) => drift.upsertPosition(tx, id, id)),
  },
  'src/dream/archival.queries.ts': {
    countArchivable: (db) => archival.countArchivable(db, span),
    claimArchivable: (db) => inTransaction(db, (tx) => archival.claimArchivable(tx, portion)),
    archiveRecords: (db) =>
      inTransaction(db, (tx) =>
        archival.archiveRecords(tx, { ...settings, ...span, ids: [id], purgeAt: now, runId: id }),
      ),
  },
  'src/lifecycle/promotion/promotion.queries.ts': {
    countWorking: (db) => promoting.countWorking(db, span),
    countEpisodic: (db) => promoting.countEpisodic(db, { now, scope: 'team' }),
    claimWorking: (db) => inTransaction(db, (tx) => promoting.claimWorking(tx, portion)),
    claimEpisodic: (db) => inTransaction(db, (tx) => promoting.claimEpisodic(tx, portion)),
    promoteWorking: (db) => promoting.promoteWorking(db, { ids: [id], now, runId: null }),
    promoteEpisodic: (db) => promoting.promoteEpisodic(db, { ids: [id], now, runId: id }),
  },
}
