import { sql } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import { fullTrust, type Trust } from '../../../src/domain/trust/caller.ts'
import * as rows from '../../../src/maintenance/plan-rows.queries.ts'
import * as listed from '../../../src/plans/listed-changes.queries.ts'
import * as applications from '../../../src/plans/plan-applications.queries.ts'
import * as changes from '../../../src/plans/plan-changes.queries.ts'
import * as planned from '../../../src/plans/planned-changes.queries.ts'
import * as forgetting from '../../../src/plans/planned-forgetting.queries.ts'
import * as plans from '../../../src/plans/plans.queries.ts'
import * as selection from '../../../src/plans/selection.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const trust: Trust = { maxSensitivity: 'low', scopes: ['team'] }
const reader = { trust, now }
const application = { planId: id, plannedAt: now, only: ['prune'], except: [id] }
const inTransaction = (db: Database, ask: (tx: Transaction) => Promise<unknown>) =>
  db.transaction().execute(ask)

/** A plan needs a run, which no other sample inserts. */
async function insertRun(tx: Transaction): Promise<void> {
  await tx
    .insertInto('maintenance_runs')
    .values({
      id,
      job: 'decay',
      trigger: 'manual',
      created_at: now,
      dry_run: true,
      scope: null,
      options: '{}',
      status: 'queued',
      done: 0,
      total: null,
      stats: '{}',
      attempts: 0,
      cancel_requested: false,
    })
    .execute()
}

export const planSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/maintenance/plan-rows.queries.ts': {
    insertPlan: (db) =>
      inTransaction(db, async (tx) => {
        await insertRun(tx)
        await rows.insertPlan(tx, { id, expiresAt: now })
      }),
  },
  'src/plans/listed-changes.queries.ts': {
    isListed: (db) => sql`select ${listed.isListed(trust)} from ${listed.listedChanges}`.execute(db),
    hasChanged: (db) => sql`select ${listed.hasChanged(trust)} from plans as p`.execute(db),
  },
  'src/plans/selection.queries.ts': {
    isSelected: (db) =>
      sql`select ${selection.isSelected(application)} from maintenance_changes as c`.execute(db),
    isDoneBy: (db) => sql`select ${selection.isDoneBy(id)} from maintenance_changes as c`.execute(db),
    describeChange: (db) =>
      sql`select ${selection.describeChange(sql`r`)} from maintenance_changes as c, records as r`.execute(db),
  },
  'src/plans/planned-forgetting.queries.ts': {
    findNextForgotten: (db) => inTransaction(db, (tx) => forgetting.findNextForgotten(tx, id, id)),
    forgetPlanned: (db) =>
      inTransaction(db, (tx) =>
        forgetting.forgetPlanned(tx, { ...application, runId: id, now, after: id, limit: 1_000 }),
      ),
  },
  'src/plans/plans.queries.ts': {
    findPlan: {
      'for a key with all records': (db) => plans.findPlan(db, id, { trust: fullTrust, now }),
      'for a key with some': (db) => plans.findPlan(db, id, reader),
    },
    listPlans: {
      'the first page': (db) => plans.listPlans(db, { ...reader, after: undefined, limit: 51 }),
      'the second page, filtered': (db) =>
        plans.listPlans(db, {
          ...reader,
          job: 'decay',
          status: 'ready',
          limit: 51,
          after: { created_at: now, id },
        }),
    },
  },
  'src/plans/plan-changes.queries.ts': {
    listPlanChanges: {
      'the first page': (db) =>
        changes.listPlanChanges(db, { planId: id, trust: fullTrust, after: undefined, limit: 51 }),
      'the second page, filtered': (db) =>
        changes.listPlanChanges(db, {
          planId: id,
          trust,
          action: 'prune',
          type: 'semantic',
          scope: 'team',
          limit: 51,
          after: { record_id: id, action: 'prune' },
        }),
    },
    summarisePlan: (db) => changes.summarisePlan(db, { ...reader, planId: id }),
  },
  'src/plans/plan-applications.queries.ts': {
    lockPlan: (db) => inTransaction(db, (tx) => applications.lockPlan(tx, id)),
    findApplicationRun: (db) =>
      inTransaction(db, (tx) => applications.findApplicationRun(tx, id, { only: ['prune'] })),
    insertApplication: (db) =>
      inTransaction(db, async (tx) => {
        await insertRun(tx)
        await rows.insertPlan(tx, { id, expiresAt: now })
        await applications.insertApplication(tx, { planId: id, runId: id, selection: {} })
      }),
    deletePlan: (db) => inTransaction(db, (tx) => applications.deletePlan(tx, id, now)),
    deleteExpiredPlans: (db) => inTransaction(db, (tx) => applications.deleteExpiredPlans(tx, now, 1_000)),
  },
  'src/plans/planned-changes.queries.ts': {
    findApplication: (db) => planned.findApplication(db, id),
    countSelected: (db) => planned.countSelected(db, { ...application, runId: id }),
    listPlanned: (db) =>
      inTransaction(db, (tx) => planned.listPlanned(tx, { ...application, runId: id, owners: [id] })),
    markApplied: (db) => inTransaction(db, (tx) => planned.markApplied(tx, id, now)),
    listCreated: (db) => inTransaction(db, (tx) => planned.listCreated(tx, id, [id])),
    listPlannedIds: (db) =>
      inTransaction(db, (tx) => planned.listPlannedIds(tx, { planId: id, after: id, limit: 1_000 })),
    listRest: (db) => inTransaction(db, (tx) => planned.listRest(tx, { ...application, runId: id })),
  },
}
