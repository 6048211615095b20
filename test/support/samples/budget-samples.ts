import { sql } from 'kysely'
import { fullTrust } from '../../../src/domain/trust/caller.ts'
import * as budgets from '../../../src/lifecycle/decay/budget.queries.ts'
import * as order from '../../../src/lifecycle/decay/budget-order.queries.ts'
import * as policies from '../../../src/policies/budgets.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const instants = { now, revisedBefore: now }
const eligible = { ...instants, scope: 'team', isInGrace: false }
const lane = { type: 'semantic', layer: 'semantic', half_life: 86_400, rank: '-infinity' as const, id }
const forgetting = {
  ...eligible,
  purgeAt: now,
  runId: id,
  ids: [id],
  line: 0.5,
  excess: 10,
  hasBytes: false,
  protect: ['entity'],
  ranked: 0,
}
const row = { scope: 'team', max_records: 10, max_bytes: null, protect: ['entity'], mode: 'soft' }
const trust = { maxSensitivity: 'low', scopes: ['team'] } as const

export const budgetSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/lifecycle/decay/budget-order.queries.ts': {
    computeKeepingAt: (db) =>
      sql`select ${order.computeKeepingAt(now)} as keeping from records as r`.execute(db),
    isEligible: {
      'after the grace period': (db) =>
        sql`select r.id from records as r where ${order.isEligible(eligible)}`.execute(db),
      'within it': (db) =>
        sql`select r.id from records as r where ${order.isEligible({ ...eligible, isInGrace: true })}`.execute(
          db,
        ),
    },
    isDueForPruning: (db) =>
      sql`select r.id from records as r where ${order.isDueForPruning(instants)}`.execute(db),
    listBudgetLanes: (db) => order.listBudgetLanes(db, 'team'),
    readBudgetLanes: {
      'for a budget of records': (db) =>
        order.readBudgetLanes(db, { ...eligible, lanes: [lane], limit: 1_000, hasBytes: false }),
      'for a budget of bytes': (db) =>
        order.readBudgetLanes(db, { ...eligible, lanes: [lane], limit: 1_000, hasBytes: true }),
    },
  },
  'src/lifecycle/decay/budget.queries.ts': {
    deleteEmptySizes: (db) => budgets.deleteEmptySizes(db, 5_000),
    foldScopeSizes: (db) => budgets.foldScopeSizes(db, 5_000),
    findOverBudget: {
      everywhere: (db) => budgets.findOverBudget(db, { ...instants, scope: null }),
      'in a scope': (db) => budgets.findOverBudget(db, { ...instants, scope: 'team' }),
    },
    lockScopeSize: (db) => budgets.lockScopeSize(db, 'team'),
    countForgottenByScope: (db) => budgets.countForgottenByScope(db, id),
    forgetForBudget: {
      'of records': (db) => budgets.forgetForBudget(db, forgetting),
      'of bytes': (db) => budgets.forgetForBudget(db, { ...forgetting, hasBytes: true }),
    },
  },
  'src/policies/budgets.queries.ts': {
    listBudgets: {
      'the first page': (db) => policies.listBudgets(db, { trust: fullTrust, after: undefined, limit: 51 }),
      'a later page, for a key of scopes': (db) =>
        policies.listBudgets(db, { trust, after: 'team', limit: 51 }),
    },
    findBudget: (db) => policies.findBudget(db, { trust, scope: 'team' }),
    lockBudget: (db) => policies.lockBudget(db, 'team'),
    upsertBudget: (db) => policies.upsertBudget(db, row),
    deleteBudget: (db) => policies.deleteBudget(db, 'team'),
    findLargestProtected: {
      'of a scope': (db) => policies.findLargestProtected(db, row),
      'for the default': (db) =>
        policies.findLargestProtected(db, { ...row, scope: '', max_records: null, max_bytes: 10 }),
    },
  },
}
