import type { Database } from '../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import { requireActionsOf } from '../domain/run-actions.ts'
import type { ListPage } from '../domain/schemas/shapes.ts'
import { CreationCursor, readPage } from '../http/paging/paging.ts'
import { type JobName, jobNames } from '../jobs/job-names.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { omitNulls } from '../kernel/omit-nulls.ts'
import type { TraceContext } from '../kernel/span.ts'
import { addMilliseconds } from '../kernel/units.ts'
import {
  insertPlan,
  listSelectable,
  type MaintenanceRun,
  type MaintenanceService,
} from '../maintenance/index.ts'
import { presentPlan, presentPlanChange } from './plan-answer.ts'
import {
  deletePlan,
  findApplicationRun,
  insertApplication,
  lockPlan,
  type Selection,
} from './plan-applications.queries.ts'
import { listPlanChanges, summarisePlan } from './plan-changes.queries.ts'
import { findPlan, listPlans, type PlanRow } from './plans.queries.ts'
import {
  type NewPlan,
  type Plan,
  type PlanApplication,
  type PlanChange,
  PlanChangeCursor,
  type PlanChangesQuery,
  type PlanSummary,
  type PlansQuery,
} from './plans.schemas.ts'

type Resources = {
  db: Database
  clock: Clock
  maintenance: Pick<MaintenanceService, 'request' | 'read' | 'queueRun'>
  planRetentionMs: number
}

export type PlansService = ReturnType<typeof createPlansService>

export function createPlansService({ db, clock, maintenance, planRetentionMs }: Resources) {
  /** Queues a dry run whose effects are kept. */
  async function request(call: CallContext, newPlan: NewPlan, trace?: TraceContext): Promise<Plan> {
    return transact(db, call, async (tx) => {
      const joined = { ...call, tx }
      const { id } = await maintenance.request(joined, { ...newPlan, dry_run: true }, trace)
      await insertPlan(tx, { id, expiresAt: addMilliseconds(clock.now(), planRetentionMs) })
      return read(joined, id)
    })
  }

  async function read(call: CallContext, id: string): Promise<Plan> {
    return presentPlan(await findVisiblePlan(call, id))
  }

  async function list(call: CallContext, query: PlansQuery): Promise<ListPage<Plan>> {
    const { limit = 50, cursor, ...filters } = query
    const { items, ...next } = await readPage({
      caller: call.caller,
      list: { plans: filters },
      limit,
      cursor,
      position: CreationCursor,
      read: (after, most) =>
        listPlans(call.tx ?? db, {
          ...filters,
          trust: call.caller.trust,
          now: clock.now(),
          limit: most,
          after: after && { created_at: new Date(after.created_at), id: after.id },
        }),
    })
    return { items: items.map(presentPlan), ...next }
  }

  async function listChanges(
    call: CallContext,
    id: string,
    query: PlanChangesQuery,
  ): Promise<ListPage<PlanChange>> {
    await findVisiblePlan(call, id)
    const { limit = 50, cursor, ...filters } = query
    const { trust } = call.caller
    const { items, ...next } = await readPage({
      caller: call.caller,
      list: { plan: id, ...filters },
      limit,
      cursor,
      position: PlanChangeCursor,
      read: (after, most) =>
        listPlanChanges(call.tx ?? db, { ...filters, planId: id, trust, after, limit: most }),
    })
    return { items: items.map(presentPlanChange), ...next }
  }

  async function summarise(call: CallContext, id: string): Promise<PlanSummary> {
    await findVisiblePlan(call, id)
    const { trust } = call.caller
    const groups = await summarisePlan(call.tx ?? db, { planId: id, trust, now: clock.now() })
    return {
      groups: groups.map((group) => omitNulls(group)),
    }
  }

  async function drop(call: CallContext, id: string): Promise<void> {
    await transact(db, call, async (tx) => {
      await lockPlan(tx, id)
      await findVisiblePlan({ ...call, tx }, id)
      await deletePlan(tx, id, clock.now())
    })
  }

  /** Queues a run that makes the listed changes. The same request again is the same run. */
  async function apply(
    call: CallContext,
    id: string,
    { digest, ...selection }: PlanApplication,
    trace?: TraceContext,
  ): Promise<MaintenanceRun> {
    return transact(db, call, async (tx) => {
      const joined = { ...call, tx }
      await lockPlan(tx, id)
      const plan = await findVisiblePlan(joined, id)
      requireDigest(plan, digest)
      requireActionsOf(plan.job, selection)
      const allowed = await allowSelection(joined, selection)
      const known = await findApplicationRun(tx, id, allowed)
      if (known !== undefined) return maintenance.read(joined, known)
      if (plan.expires_at <= clock.now()) {
        throw new AppError('plan_expired', 'The plan is too old. Prepare a new one.')
      }
      const options = { plan_id: id, ...selection }
      const run = await maintenance.queueRun(joined, trace, {
        job: readJob(plan),
        scope: plan.scope,
        options,
      })
      await insertApplication(tx, { planId: id, runId: run.id, selection: allowed })
      return run
    })
  }

  async function findVisiblePlan({ caller: { trust }, tx }: CallContext, id: string): Promise<PlanRow> {
    const plan = await findPlan(tx ?? db, id, { trust, now: clock.now() })
    if (!plan) throw new AppError('plan_not_found', 'The plan does not exist.')
    return plan
  }

  return { request, read, list, listChanges, summarise, drop, apply }
}

function requireDigest({ run_status: status, digest }: PlanRow, named: string): void {
  if (status !== 'succeeded') {
    throw new AppError('plan_not_ready', 'The plan is not prepared, so it cannot be applied.')
  }
  if (digest === named) return
  throw new AppError('digest_mismatch', 'The digest is not that of this plan. Read the plan again.')
}

/** The counts of a run would tell whether the id of a hidden record is part of the plan. */
async function allowSelection(
  { caller: { trust }, tx }: CallContext & { tx: Transaction },
  { only, except }: Selection,
): Promise<Selection> {
  const allow = async (names: readonly string[]) => {
    const stored = names.map((name) => name.toLowerCase())
    return [...new Set(await listSelectable(tx, stored, trust))].sort()
  }
  return omitNulls({ only: only && (await allow(only)), except: except && (await allow(except)) })
}

function readJob({ job }: PlanRow): JobName {
  const name = jobNames.find((name) => name === job)
  if (name === undefined) throw new TypeError(`a plan of an unknown job: ${job}`)
  return name
}
