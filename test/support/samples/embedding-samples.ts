import { sql } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import * as cells from '../../../src/embeddings/cells/cells.queries.ts'
import * as compressing from '../../../src/embeddings/compression/compression.queries.ts'
import * as models from '../../../src/embeddings/embedding-models.queries.ts'
import * as waiting from '../../../src/embeddings/queue/embedding-queue.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const until = new Date('2026-01-01T00:05:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const configured = { provider: 'hash', model: 'hash-v1', dimensions: 256, max_sensitivity: 'hyper' } as const
const claim = { ids: [id], until }
const query = { modelId: 1, now, until, limit: 500 }
const retentionShape = { huberDelta: 0.5, elasticRho: 0.3 }
const huber = { retentionMode: 'huber', retentionShape } as const
const elastic = { retentionMode: 'elastic', retentionShape } as const
const stretch = {
  after: compressing.firstPosition,
  until: { record_id: id, model_id: 1 },
  scope: null,
  now,
  settings: huber,
}
const inTransaction = (db: Database, ask: (tx: Transaction) => Promise<unknown>) =>
  db.transaction().execute(ask)

/** Queries of the embedding job. */
export const embeddingSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/embeddings/compression/compression.queries.ts': {
    chooseBits: async (db) =>
      void (await sql`select ${compressing.chooseBits(sql`0.5`)} as bits`.execute(db)),
    countVectors: (db) => compressing.countVectors(db),
    findRangeEnd: (db) =>
      inTransaction(db, (tx) =>
        compressing.findRangeEnd(tx, { after: compressing.firstPosition, limit: 5_000 }),
      ),
    claimCompressible: {
      everywhere: (db) => inTransaction(db, (tx) => compressing.claimCompressible(tx, stretch)),
      'in a scope, by another curve': (db) =>
        inTransaction(db, (tx) =>
          compressing.claimCompressible(tx, { ...stretch, scope: 'team', settings: elastic }),
        ),
    },
    writeCompressed: (db) =>
      inTransaction(db, (tx) =>
        compressing.writeCompressed(tx, [{ record_id: id, model_id: 1, bits: 8, code: Buffer.alloc(264) }]),
      ),
    queueTooCoarse: (db) => inTransaction(db, (tx) => compressing.queueTooCoarse(tx, stretch)),
  },
  'src/embeddings/cells/cells.queries.ts': {
    listCellSets: (db) => cells.listCellSets(db, 1),
    findCellSets: (db) => cells.findCellSets(db, [1]),
    findCelledModels: (db) => cells.findCelledModels(db, [id]),
    countSignatures: (db) => cells.countSignatures(db, 1),
    sampleVectors: (db) => cells.sampleVectors(db, { modelId: 1, percent: 10, limit: 100 }),
    lockCellSets: (db) => inTransaction(db, (tx) => cells.lockCellSets(tx, 1)),
    insertCellSet: (db) =>
      inTransaction(db, (tx) =>
        cells.insertCellSet(tx, {
          modelId: 1,
          vectors: 9,
          members: [4, 5],
          centroids: Float32Array.of(1, 0, 0, 1),
        }),
      ),
    findWalkEnd: (db) => cells.findWalkEnd(db, { modelId: 1, after: id, limit: 10 }),
    claimUnassigned: (db) =>
      inTransaction(db, (tx) => cells.claimUnassigned(tx, { modelId: 1, setId: 1, after: id, until: id })),
    writeCells: (db) => inTransaction(db, (tx) => cells.writeCells(tx, 1, [{ id, cell: 16_384 }])),
    lockOlderSets: (db) => inTransaction(db, (tx) => cells.lockOlderSets(tx, 1, 2)),
    deleteEmptySets: (db) => inTransaction(db, (tx) => cells.deleteEmptySets(tx, 1, 2)),
    deleteRetiredSets: (db) => inTransaction(db, (tx) => cells.deleteRetiredSets(tx)),
  },
  'src/embeddings/embedding-models.queries.ts': {
    findServingModel: (db) => models.findServingModel(db),
    findEmbeddingModel: (db) => models.findEmbeddingModel(db),
    touchModel: (db) => models.touchModel(db, configured, { worker: id, now, absentMs: 60_000 }),
    deleteWorker: (db) => inTransaction(db, (tx) => models.deleteWorker(tx, id)),
    releaseModel: (db) => inTransaction(db, (tx) => models.releaseModel(tx, 1)),
    lockModels: (db) => inTransaction(db, (tx) => models.lockModels(tx)),
    retireModel: (db) => inTransaction(db, (tx) => models.retireModel(tx)),
    registerModel: (db) => inTransaction(db, (tx) => models.registerModel(tx, configured, now)),
    lockUnfilledModel: (db) => inTransaction(db, (tx) => models.lockUnfilledModel(tx, 1)),
    queueUnembedded: (db) => inTransaction(db, (tx) => models.queueUnembedded(tx, 1, 5_000)),
    lockReadyModel: (db) => inTransaction(db, (tx) => models.lockReadyModel(tx, 1)),
    stopServing: (db) => inTransaction(db, (tx) => models.stopServing(tx)),
    startServing: (db) => inTransaction(db, (tx) => models.startServing(tx, 1)),
    deleteRetiredVectors: (db) => inTransaction(db, (tx) => models.deleteRetiredVectors(tx, 2_000)),
  },
  'src/embeddings/queue/embedding-queue.queries.ts': {
    findWork: (db) => waiting.findWork(db, now),
    lockClaims: (db) => inTransaction(db, (tx) => waiting.lockClaims(tx)),
    claimDue: {
      everywhere: (db) => inTransaction(db, (tx) => waiting.claimDue(tx, { ...query, scope: null })),
      'in a scope': (db) => inTransaction(db, (tx) => waiting.claimDue(tx, { ...query, scope: 'team' })),
    },
    findQueuedTexts: (db) => waiting.findQueuedTexts(db, [id]),
    storeVectors: (db) =>
      inTransaction(db, (tx) =>
        waiting.storeVectors(tx, { modelId: 1, until, now, embeddedTexts: [{ id, vector: null }] }),
      ),
    recordFailures: (db) =>
      inTransaction(db, (tx) =>
        waiting.recordFailures(tx, claim, { now, maxAttempts: 8, firstPauseMs: 10_000 }),
      ),
    releaseClaim: (db) => inTransaction(db, (tx) => waiting.releaseClaim(tx, claim, now)),
    retryGivenUp: {
      everywhere: (db) => inTransaction(db, (tx) => waiting.retryGivenUp(tx, now)),
      'in a scope': (db) => inTransaction(db, (tx) => waiting.retryGivenUp(tx, now, 'team')),
    },
    countWaiting: {
      everywhere: (db) => waiting.countWaiting(db, now, null),
      'in a scope': (db) => waiting.countWaiting(db, now, 'team'),
    },
  },
}
