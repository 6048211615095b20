import type { Transaction } from '../../../src/db/transaction.ts'
import type { Trust } from '../../../src/domain/trust/caller.ts'
import * as departures from '../../../src/records/deletion/departures.queries.ts'
import * as erasure from '../../../src/records/erasure/erasure.queries.ts'
import * as runEffects from '../../../src/records/erasure/run-effects.queries.ts'
import { clearSharedReasons } from '../../../src/records/erasure/shared-reasons.queries.ts'
import * as answers from '../../../src/records/erasure/stored-answers.queries.ts'
import * as tombstones from '../../../src/records/erasure/tombstones.queries.ts'

export type Sample = (db: Transaction) => Promise<unknown>

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const trust: Trust = { maxSensitivity: 'low', scopes: ['team'] }
const keyId = Buffer.alloc(8)
const erasedMessages = { ids: [id], conversations: [{ scope: 'team', conversation: 'one' }] }
const sealed = { scope: '', digest: Buffer.alloc(32) }

/** Queries of purge and erasure. */
export const deletionSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/records/deletion/departures.queries.ts': {
    findDepartures: (db) => departures.findDepartures(db, [id], trust),
    listPurgeable: (db) => departures.listPurgeable(db, { now, after: id, limit: 1_000 }),
    purgeRecords: (db) => departures.purgeRecords(db, [id], now),
    findNextPurgeable: (db) => departures.findNextPurgeable(db, now, []),
    purgeForgotten: (db) => departures.purgeForgotten(db, now, 1_000),
    deleteErased: (db) => departures.deleteErased(db, [id], { actor: 'ada', at: now }),
  },
  'src/records/erasure/stored-answers.queries.ts': {
    deleteAnswersAbout: (db) => answers.deleteAnswersAbout(db, [id]),
    removeFromBatchAnswers: (db) => answers.removeFromBatchAnswers(db, [id]),
    reduceAnswersAbout: (db) => answers.reduceAnswersAbout(db, [id]),
    removeFromCaptureAnswers: (db) => answers.removeFromCaptureAnswers(db, [id]),
    reduceInBatchAnswers: (db) => answers.reduceInBatchAnswers(db, [id]),
    reduceInCaptureAnswers: (db) => answers.reduceInCaptureAnswers(db, [id]),
    deleteConversationAnswers: (db) => answers.deleteConversationAnswers(db, erasedMessages),
    reduceConversationAnswers: (db) => answers.reduceConversationAnswers(db, erasedMessages),
    removeMessageIds: (db) => answers.removeMessageIds(db, [id]),
  },
  'src/records/erasure/run-effects.queries.ts': {
    deleteEffects: (db) => runEffects.deleteEffects(db, { erasedIds: [id], keptIds: [id] }),
    clearAppliedChanges: (db) => runEffects.clearAppliedChanges(db, [id]),
  },
  'src/records/erasure/shared-reasons.queries.ts': {
    clearSharedReasons: (db) => clearSharedReasons(db, [id]),
  },
  'src/records/erasure/erasure.queries.ts': {
    findDerivations: (db) => erasure.findDerivations(db, id),
    lockForErasure: (db) => erasure.lockForErasure(db, [id]),
    findReadableIds: (db) => erasure.findReadableIds(db, [id], trust),
    deleteEdgesOf: (db) => erasure.deleteEdgesOf(db, [id], trust),
    deleteRowsOf: {
      'their vectors': (db) => erasure.deleteRowsOf(db, 'embeddings', [id], [id]),
      'their accesses': (db) => erasure.deleteRowsOf(db, 'access_log', [id], [id]),
    },
    clearAuditText: (db) => erasure.clearAuditText(db, [id]),
    clearStatusReasons: (db) => erasure.clearStatusReasons(db, [id]),
    insertEraseEntries: (db) =>
      erasure.insertEraseEntries(db, [id], { actor: 'ada', rationale: 'asked', at: now, via: null }),
    deleteDescentsOf: (db) => erasure.deleteDescentsOf(db, [id]),
    findContents: (db) => erasure.findContents(db, [id]),
    updateKeptRecords: (db) =>
      erasure.updateKeptRecords(db, [], { actor: 'ada', rationale: 'asked', at: now, via: null }, 'english'),
    clearInheritedAuditText: (db) => erasure.clearInheritedAuditText(db, [id]),
    updatePurgedToErased: (db) =>
      erasure.updatePurgedToErased(db, [id], { actor: 'ada', rationale: 'asked', at: now, via: null }),
  },
  'src/records/erasure/tombstones.queries.ts': {
    findTombstonesOf: (db) => tombstones.findTombstonesOf(db, keyId, [sealed]),
    lockTombstonesExclusive: (db) => tombstones.lockTombstonesExclusive(db),
    lockTombstonesShared: (db) => tombstones.lockTombstonesShared(db),
    insertTombstones: (db) =>
      tombstones.insertTombstones(
        db,
        [{ ...sealed, id, key_id: keyId, created_at: now, actor: 'ada' }],
        trust,
      ),
    listTombstones: {
      'the first page': (db) => tombstones.listTombstones(db, trust, 51, undefined),
      'the second page': (db) =>
        tombstones.listTombstones(db, trust, 51, { created_at: now.toISOString(), id }),
    },
    deleteTombstone: (db) => tombstones.deleteTombstone(db, trust, id),
  },
}
