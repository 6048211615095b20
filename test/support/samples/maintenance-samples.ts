import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import { fullTrust, type Trust } from '../../../src/domain/trust/caller.ts'
import * as ranges from '../../../src/jobs/runs/ranges.queries.ts'
import * as figures from '../../../src/jobs/runs/run-figures.queries.ts'
import * as sweep from '../../../src/lifecycle/decay/decay-sweep.queries.ts'
import * as maintenance from '../../../src/maintenance/maintenance.queries.ts'
import * as batches from '../../../src/maintenance/running/batches.queries.ts'
import * as claiming from '../../../src/maintenance/running/due-jobs.queries.ts'
import * as running from '../../../src/maintenance/running/leases.queries.ts'
import * as oldRuns from '../../../src/maintenance/running/old-runs.queries.ts'
import * as schedules from '../../../src/maintenance/schedules/schedules.queries.ts'
import * as names from '../../../src/maintenance/selectable-names.queries.ts'
import { noIntervals } from '../workers/idle-jobs.ts'
import { budgetSamples } from './budget-samples.ts'
import type { Sample } from './deletion-samples.ts'
import { historySamples } from './history-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const trust: Trust = { maxSensitivity: 'low', scopes: ['team'] }
const position = { at: '2026-01-01 00:00:00+00', id }
const portion = { scope: null, after: position, limit: 2_000 }
const due = { now, revisedBefore: now, asOf: now, scope: 'team' }
const pruning = { ...portion, now, revisedBefore: now, purgeAt: now, runId: id }
const walked = { ...due, after: position }
const range = { first_block: 0, end_block: 256 }
const lease = { job: 'decay', fence: 7, runId: id }
const inTransaction = (db: Database, ask: (tx: Transaction) => Promise<unknown>) =>
  db.transaction().execute(ask)

export const maintenanceSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  ...budgetSamples,
  ...historySamples,
  'src/lifecycle/decay/decay-sweep.queries.ts': {
    countDue: {
      everywhere: (db) => sweep.countDue(db, { ...due, scope: null }),
      'in a scope': (db) => sweep.countDue(db, due),
    },
    materialiseRange: (db) => inTransaction(db, (tx) => sweep.materialiseRange(tx, now, range)),
    materialiseNext: (db) => inTransaction(db, (tx) => sweep.materialiseNext(tx, { ...portion, asOf: now })),
    pruneFaded: (db) => inTransaction(db, (tx) => sweep.pruneFaded(tx, pruning)),
    pruneRevised: (db) => inTransaction(db, (tx) => sweep.pruneRevised(tx, pruning)),
    findNextPosition: {
      fading: (db) => inTransaction(db, (tx) => sweep.findNextPosition(tx, 'fading', walked)),
      faded: (db) => inTransaction(db, (tx) => sweep.findNextPosition(tx, 'faded', walked)),
      revised: (db) => inTransaction(db, (tx) => sweep.findNextPosition(tx, 'revised', walked)),
    },
  },
  'src/jobs/runs/run-figures.queries.ts': { findRunFigures: (db) => figures.findRunFigures(db, id) },
  'src/jobs/runs/ranges.queries.ts': {
    insertRanges: (db) => inTransaction(db, (tx) => ranges.insertRanges(tx, id, 256)),
    takeRange: (db) => inTransaction(db, (tx) => ranges.takeRange(tx, id)),
    finishRange: (db) => inTransaction(db, (tx) => ranges.finishRange(tx, id, range)),
    hasOpenRanges: (db) => ranges.hasOpenRanges(db, id),
  },
  'src/maintenance/selectable-names.queries.ts': {
    listSelectable: (db) => names.listSelectable(db, ['prune', id], trust),
  },
  'src/maintenance/maintenance.queries.ts': {
    insertRun: (db) => maintenance.insertRun(db, { id, job: 'decay', trigger: 'manual', now }),
    findRun: (db) => maintenance.findRun(db, id, trust),
    listRuns: {
      'the first page': (db) =>
        maintenance.listRuns(db, { filters: {}, trust: fullTrust, after: undefined, limit: 51 }),
      'the second page, filtered': (db) =>
        maintenance.listRuns(db, {
          filters: { job: 'decay', status: 'queued' },
          trust,
          limit: 51,
          after: { created_at: now, id },
        }),
    },
    cancelRun: (db) => maintenance.cancelRun(db, id, now),
    listChanges: (db) =>
      maintenance.listChanges(db, { runId: id, trust, after: { record_id: id, action: 'prune' }, limit: 51 }),
    countHiddenChanges: (db) => maintenance.countHiddenChanges(db, id, trust),
  },
  'src/maintenance/schedules/schedules.queries.ts': {
    listSchedules: (db) => schedules.listSchedules(db),
    upsertSchedule: (db) =>
      schedules.upsertSchedule(db, {
        job: 'decay',
        chosen: { interval_ms: 3_600_000 },
        otherwise: { interval_ms: 60_000, enabled: true, mode: 'run' },
        now,
      }),
  },
  'src/maintenance/running/batches.queries.ts': {
    lockFence: (db) => inTransaction(db, (tx) => batches.lockFence(tx, lease)),
    addProgress: (db) =>
      inTransaction(db, (tx) => batches.addProgress(tx, { id, done: 1, counts: { pruned: 1 } })),
    setRunTotal: (db) =>
      inTransaction(db, (tx) => batches.setRunTotal(tx, { id, total: 1, counted: ['pruned'] })),
    setRunError: (db) => inTransaction(db, (tx) => batches.setRunError(tx, id, 'why')),
    insertChanges: (db) => inTransaction(db, (tx) => batches.insertChanges(tx, id, [])),
  },
  'src/maintenance/running/due-jobs.queries.ts': {
    findDueJobs: (db) => claiming.findDueJobs(db, { worker: 'w', now, intervals: noIntervals }),
    findNextLapse: (db) => claiming.findNextLapse(db, now),
    lockFreeLease: (db) => inTransaction(db, (tx) => claiming.lockFreeLease(tx, 'decay', now)),
    advanceSchedule: (db) =>
      inTransaction(db, (tx) => claiming.advanceSchedule(tx, { job: 'decay', now, interval: 1 })),
  },
  'src/maintenance/running/leases.queries.ts': {
    ensureJobRows: (db) => running.ensureJobRows(db, ['decay'], now),
    takeLease: (db) =>
      inTransaction(db, (tx) =>
        running.takeLease(tx, { job: 'decay', holder: 'w', run_id: id, fence: 8, expires_at: now }),
      ),
    clearLease: (db) => inTransaction(db, (tx) => running.clearLease(tx, 'decay', now)),
    renewLease: (db) => running.renewLease(db, { ...lease, expiresAt: now }),
    releaseLease: (db) => inTransaction(db, (tx) => running.releaseLease(tx, { ...lease, now })),
    findOpenRun: (db) => inTransaction(db, (tx) => running.findOpenRun(tx, 'decay')),
    findSharedRun: (db) => running.findSharedRun(db, { job: 'decay', worker: 'w' }),
    startRun: (db) => inTransaction(db, (tx) => running.startRun(tx, { id, worker: 'w', now })),
    requeueRun: (db) => inTransaction(db, (tx) => running.requeueRun(tx, id)),
    endRun: (db) => inTransaction(db, (tx) => running.endRun(tx, { id, status: 'succeeded', now })),
    setLastSuccess: (db) => inTransaction(db, (tx) => running.setLastSuccess(tx, 'decay', now)),
  },
  'src/maintenance/running/old-runs.queries.ts': {
    deleteOldRuns: (db) => oldRuns.deleteOldRuns(db, now, 1_000),
  },
}
