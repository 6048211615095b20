import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import * as effects from '../../../src/effects/effects.queries.ts'
import * as revisions from '../../../src/effects/revision-effects.queries.ts'
import * as running from '../../../src/maintenance/running/dry-run-effects.queries.ts'
import * as planned from '../../../src/maintenance/running/planned-batches.queries.ts'
import * as forgetting from '../../../src/undo/forgetting.queries.ts'
import * as undo from '../../../src/undo/undo.queries.ts'
import type { Sample } from './deletion-samples.ts'
import { planSamples } from './plan-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const rows = [{ source_id: id, predicate: 'supports', target_id: id }]
const columns = ['source_id', 'predicate', 'target_id', 'weight', 'created_at']
const written = { relation: 'relations', columns, rows }
const portion = { runId: id, after: id, limit: 1_000 }
const via = { key_id: id, key_name: 'agent' }
const undoing = { runId: id, targetId: id, only: null, actor: 'operator', rationale: 'too early', via, now }
const restoration = { ...undoing, ...portion, erasedIds: [] }
const batch = { ...undoing, batch: '7' }
const inTransaction = (db: Database, ask: (tx: Transaction) => Promise<unknown>) =>
  db.transaction().execute(ask)

/** The statements that keep, replay and take back what runs write. */
export const effectSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  ...planSamples,
  'src/effects/effects.queries.ts': {
    listBatches: (db) => effects.listBatches(db, id),
    listEffects: (db) => inTransaction(db, (tx) => effects.listEffects(tx, id, '7')),
    lockRows: (db) => inTransaction(db, (tx) => effects.lockRows(tx, 'relations', rows)),
    findContentsNearErased: (db) => inTransaction(db, (tx) => effects.findContentsNearErased(tx, [id])),
    listColumns: (db) => inTransaction(db, (tx) => effects.listColumns(tx, 'relations')),
    insertRows: (db) => inTransaction(db, (tx) => effects.insertRows(tx, written)),
    updateRows: {
      'of other columns each': (db) => inTransaction(db, (tx) => effects.updateRows(tx, written)),
      'of the same columns': (db) =>
        inTransaction(db, (tx) => effects.updateRows(tx, { ...written, columns: columns.slice(0, 3) })),
    },
    listWrittenVersions: (db) => inTransaction(db, (tx) => effects.listWrittenVersions(tx, id, [id])),
    markBatch: (db) => inTransaction(db, (tx) => effects.markBatch(tx, id, 0)),
    findTakenHandles: (db) =>
      inTransaction(db, (tx) =>
        effects.findTakenHandles(tx, [
          { digest: `\\x${'00'.repeat(16)}`, detail: null, scope: 'team', record_id: id, sensitivity: 'low' },
        ]),
      ),
    insertImportanceMoves: (db) =>
      inTransaction(db, (tx) =>
        effects.insertImportanceMoves(tx, [{ record_id: id, old: 0.5, new: 0.25 }], { runId: id, now }),
      ),
    insertEntries: (db) =>
      inTransaction(db, (tx) =>
        effects.insertEntries(
          tx,
          [{ record_id: id, old_status: 'active', new_status: 'invalidated', changes: {} }],
          { action: 'undo' as const, actor: 'operator', rationale: 'too early', via, runId: id, now },
        ),
      ),
    lockReferred: (db) => inTransaction(db, (tx) => effects.lockReferred(tx, [id])),
    deleteRows: (db) => inTransaction(db, (tx) => effects.deleteRows(tx, written)),
  },
  'src/effects/revision-effects.queries.ts': {
    deleteRevisionEffects: (db) => revisions.deleteRevisionEffects(db, now, 1_000),
  },
  'src/maintenance/running/dry-run-effects.queries.ts': {
    countEffects: (db) => inTransaction(db, (tx) => running.countEffects(tx, id, 7)),
    readEffects: (db) => inTransaction(db, (tx) => running.readEffects(tx, id)),
    noteSources: (db) => inTransaction(db, (tx) => running.noteSources(tx, id)),
    deleteDryRunRows: (db) => inTransaction(db, (tx) => running.deleteDryRunRows(tx, id, 7)),
    resetRun: (db) => inTransaction(db, (tx) => running.resetRun(tx, id)),
    extendDigest: (db) => inTransaction(db, (tx) => running.extendDigest(tx, id, 'kept')),
    insertEffects: (db) => inTransaction(db, (tx) => running.insertEffects(tx, id, '[]')),
  },
  'src/maintenance/running/planned-batches.queries.ts': {
    insertPlannedChanges: (db) => inTransaction(db, (tx) => planned.insertPlannedChanges(tx, id, '[]')),
    listRescored: (db) => inTransaction(db, (tx) => planned.listRescored(tx, id)),
  },
  'src/undo/forgetting.queries.ts': {
    findForgottenContents: (db) =>
      inTransaction(db, (tx) =>
        forgetting.findForgottenContents(tx, { ...portion, targetId: id, only: null }),
      ),
    restoreForgotten: {
      all: (db) => inTransaction(db, (tx) => forgetting.restoreForgotten(tx, restoration)),
      some: (db) =>
        inTransaction(db, (tx) => forgetting.restoreForgotten(tx, { ...restoration, only: [id] })),
    },
    takeBackForgetting: {
      all: (db) => inTransaction(db, (tx) => forgetting.takeBackForgetting(tx, batch)),
      some: (db) => inTransaction(db, (tx) => forgetting.takeBackForgetting(tx, { ...batch, only: [id] })),
    },
  },
  'src/undo/undo.queries.ts': {
    countChanged: (db) => undo.countChanged(db, { targetId: id, only: null }),
    findNextChanged: (db) => inTransaction(db, (tx) => undo.findNextChanged(tx, { targetId: id, after: id })),
    listChangesOf: (db) =>
      inTransaction(db, (tx) => undo.listChangesOf(tx, { runId: id, targetId: id }, [id])),
    listImportanceMoves: (db) => inTransaction(db, (tx) => undo.listImportanceMoves(tx, portion)),
    listKept: {
      all: (db) => inTransaction(db, (tx) => undo.listKept(tx, { ...portion, targetId: id, only: null })),
      some: (db) =>
        inTransaction(db, (tx) => undo.listKept(tx, { ...portion, targetId: id, only: ['prune'] })),
    },
    listTakenBack: (db) => inTransaction(db, (tx) => undo.listTakenBack(tx, id, [id])),
    hasEffects: (db) => undo.hasEffects(db, id),
    hasChanges: (db) => undo.hasChanges(db, id),
  },
}
