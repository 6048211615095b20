import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import * as compressing from '../../../src/embeddings/compression.queries.ts'
import * as models from '../../../src/embeddings/embedding-models.queries.ts'
import * as waiting from '../../../src/embeddings/embedding-queue.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const until = new Date('2026-01-01T00:05:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const configured = { provider: 'hash', model: 'hash-v1', dimensions: 256, max_sensitivity: 'hyper' } as const
const claim = { ids: [id], until }
const wanted = { modelId: 1, now, until, limit: 500 }
const retentionShape = { huberDelta: 0.5, elasticRho: 0.3 }
const huber = { retentionMode: 'huber', retentionShape } as const
const elastic = { retentionMode: 'elastic', retentionShape } as const
const stretch = {
  after: compressing.start,
  until: { record_id: id, model_id: 1 },
  scope: null,
  now,
  settings: huber,
}
const inTransaction = (db: Database, ask: (tx: Transaction) => Promise<unknown>) =>
  db.transaction().execute(ask)

/** What is asked when texts become vectors. */
export const embeddingSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/embeddings/compression.queries.ts': {
    countVectors: (db) => compressing.countVectors(db),
    findEnd: (db) =>
      inTransaction(db, (tx) => compressing.findEnd(tx, { after: compressing.start, limit: 5_000 })),
    claimTooSharp: {
      everywhere: (db) => inTransaction(db, (tx) => compressing.claimTooSharp(tx, stretch)),
      'in a scope, by another curve': (db) =>
        inTransaction(db, (tx) =>
          compressing.claimTooSharp(tx, { ...stretch, scope: 'team', settings: elastic }),
        ),
    },
    writeCompressed: (db) =>
      inTransaction(db, (tx) =>
        compressing.writeCompressed(tx, [{ record_id: id, model_id: 1, bits: 8, code: Buffer.alloc(264) }]),
      ),
    listTooBlurred: (db) => inTransaction(db, (tx) => compressing.listTooBlurred(tx, stretch)),
  },
  'src/embeddings/embedding-models.queries.ts': {
    findServingModel: (db) => models.findServingModel(db),
    findEmbeddingModel: (db) => models.findEmbeddingModel(db),
    noteSeen: (db) => models.noteSeen(db, configured, now),
    lockModels: (db) => inTransaction(db, (tx) => models.lockModels(tx)),
    retireModel: (db) => inTransaction(db, (tx) => models.retireModel(tx)),
    registerModel: (db) => inTransaction(db, (tx) => models.registerModel(tx, configured, now)),
    lockUnfilledModel: (db) => inTransaction(db, (tx) => models.lockUnfilledModel(tx, 1)),
    listUnread: (db) => inTransaction(db, (tx) => models.listUnread(tx, 1, 5_000)),
    lockReadyModel: (db) => inTransaction(db, (tx) => models.lockReadyModel(tx, 1)),
    endService: (db) => inTransaction(db, (tx) => models.endService(tx)),
    beginService: (db) => inTransaction(db, (tx) => models.beginService(tx, 1)),
    deleteRetired: (db) => inTransaction(db, (tx) => models.deleteRetired(tx, 2_000)),
  },
  'src/embeddings/embedding-queue.queries.ts': {
    findWork: (db) => waiting.findWork(db, now),
    lockClaims: (db) => inTransaction(db, (tx) => waiting.lockClaims(tx)),
    claimDue: {
      everywhere: (db) => inTransaction(db, (tx) => waiting.claimDue(tx, { ...wanted, scope: null })),
      'in a scope': (db) => inTransaction(db, (tx) => waiting.claimDue(tx, { ...wanted, scope: 'team' })),
    },
    findSaid: (db) => waiting.findSaid(db, [id]),
    settle: (db) =>
      inTransaction(db, (tx) =>
        waiting.settle(tx, { modelId: 1, until, now, readings: [{ id, vector: null }] }),
      ),
    countFailures: (db) =>
      inTransaction(db, (tx) =>
        waiting.countFailures(tx, claim, { now, mostAttempts: 8, firstPauseMs: 10_000 }),
      ),
    release: (db) => inTransaction(db, (tx) => waiting.release(tx, claim, now)),
    reviveGivenUp: {
      everywhere: (db) => inTransaction(db, (tx) => waiting.reviveGivenUp(tx, now)),
      'in a scope': (db) => inTransaction(db, (tx) => waiting.reviveGivenUp(tx, now, 'team')),
    },
    countWaiting: {
      everywhere: (db) => waiting.countWaiting(db, now, null),
      'in a scope': (db) => waiting.countWaiting(db, now, 'team'),
    },
  },
}
