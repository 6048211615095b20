import Type from 'typebox'
import type { Database } from '../db/connection.ts'
import type { CallContext } from '../db/transaction.ts'
import { requireActionsOf } from '../domain/run-actions.ts'
import type { ListPage } from '../domain/schemas/shapes.ts'
import { describeVia, isAllowed } from '../domain/trust/caller.ts'
import { hasFullTrust } from '../domain/trust/trust.ts'
import { CreationCursor, readPage } from '../http/paging/paging.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import { formatTraceparent, type TraceContext } from '../kernel/span.ts'
import { type NewSimulation, requireOneQuestion } from '../simulation/index.ts'
import { isKept, type NewUndo, requireUndoable } from '../undo/index.ts'
import {
  cancelRun,
  countHiddenChanges,
  findRun,
  insertRun,
  listChanges,
  listRuns,
  type RunRow,
} from './maintenance.queries.ts'
import type {
  ChangesQuery,
  MaintenanceRun,
  NewMaintenanceRun,
  RunChange,
  RunsQuery,
} from './maintenance.schemas.ts'
import { presentChange, presentRun } from './run-answer.ts'
import { chooseScope, refuseOptions } from './run-requests.ts'
import { listSelectable } from './selectable-names.queries.ts'

type Resources = { db: Database; clock: Clock; ids: Ids }

export type MaintenanceService = ReturnType<typeof createMaintenanceService>

const ChangeCursor = Type.Object({ record_id: Type.String({ format: 'uuid' }), action: Type.String() })

export function createMaintenanceService({ db, clock, ids }: Resources) {
  /** Inserts a queued run. `trace` is the trace of the request, which the run continues. */
  async function request(
    call: CallContext,
    newRun: NewMaintenanceRun,
    trace?: TraceContext,
  ): Promise<MaintenanceRun> {
    const { job, dry_run: dryRun, options } = newRun
    refuseOptions(job, options)
    return queueRun(call, trace, {
      job,
      scope: chooseScope(call.caller, job, newRun.scope),
      dryRun,
      options,
    })
  }

  /** A simulation counts only records that the key sees whole. */
  async function requestSimulation(
    call: CallContext,
    { scope, ...simulation }: NewSimulation,
    trace?: TraceContext,
  ): Promise<MaintenanceRun> {
    const options = { ...simulation, max_sensitivity: call.caller.trust.maxSensitivity }
    requireOneQuestion(options)
    return queueRun(call, trace, {
      job: 'simulation',
      scope: chooseScope(call.caller, 'simulation', scope),
      options,
    })
  }

  /** The caller has checked what the run is to do. */
  async function queueRun(
    call: CallContext,
    trace: TraceContext | undefined,
    run: Pick<Parameters<typeof insertRun>[1], 'job' | 'scope' | 'dryRun' | 'options'>,
  ): Promise<MaintenanceRun> {
    const id = ids.next()
    await insertRun(call.tx ?? db, {
      id,
      trigger: 'manual',
      now: clock.now(),
      requestedBy: call.caller.principal,
      ...run,
      traceparent: trace && formatTraceparent(trace),
    })
    return read(call, id)
  }

  /** Queues a run that takes back what a finished run did. */
  async function requestUndo(
    call: CallContext,
    targetId: string,
    { dry_run: dryRun = false, only, ...reason }: NewUndo,
    trace?: TraceContext,
  ): Promise<MaintenanceRun> {
    const target = await findVisibleRun(call, targetId)
    requireUndoable(target, await isKept(call.tx ?? db, target))
    requireActionsOf(target.job, { only })
    const names = only?.map((name) => name.toLowerCase())
    const { trust } = call.caller
    // The counts of a run would tell whether the id of a hidden record is among the changes.
    const selection = names === undefined ? {} : { only: await listSelectable(call.tx ?? db, names, trust) }
    const options = { run_id: target.id, ...selection, ...reason, via: describeVia(call.caller) }
    return queueRun(call, trace, { job: 'undo', scope: target.scope, dryRun, options })
  }

  async function read(call: CallContext, id: string): Promise<MaintenanceRun> {
    return presentRun(await findVisibleRun(call, id))
  }

  async function list(call: CallContext, query: RunsQuery): Promise<ListPage<MaintenanceRun>> {
    const { limit = 50, cursor, ...filters } = query
    const { items, ...next } = await readPage({
      caller: call.caller,
      list: { runs: filters },
      limit,
      cursor,
      position: CreationCursor,
      read: (after, most) =>
        listRuns(call.tx ?? db, {
          filters,
          trust: call.caller.trust,
          limit: most,
          after: after && { created_at: new Date(after.created_at), id: after.id },
        }),
    })
    return { items: items.map(presentRun), ...next }
  }

  async function listRunChanges(
    call: CallContext,
    id: string,
    { limit = 50, cursor }: ChangesQuery,
  ): Promise<ListPage<RunChange> & { hidden?: number }> {
    await findVisibleRun(call, id)
    const { trust } = call.caller
    const { items, ...next } = await readPage({
      caller: call.caller,
      list: { changes: id },
      limit,
      cursor,
      position: ChangeCursor,
      read: (after, most) => listChanges(call.tx ?? db, { runId: id, trust, after, limit: most }),
    })
    return {
      items: items.map(presentChange),
      ...(isAllowed(call.caller, 'admin') ? { hidden: await countHidden(call, id) } : {}),
      ...next,
    }
  }

  async function countHidden({ caller: { trust }, tx }: CallContext, id: string): Promise<number> {
    return hasFullTrust(trust) ? 0 : countHiddenChanges(tx ?? db, id, trust)
  }

  async function cancel(call: CallContext, id: string): Promise<MaintenanceRun> {
    await findVisibleRun(call, id)
    if (!(await cancelRun(call.tx ?? db, id, clock.now()))) {
      throw new AppError('run_finished', 'The run has already ended.')
    }
    return read(call, id)
  }

  async function findVisibleRun(call: CallContext, id: string): Promise<RunRow> {
    const run = await findRun(call.tx ?? db, id, call.caller.trust)
    if (!run) throw new AppError('run_not_found', 'The run does not exist.')
    return run
  }

  return {
    request,
    requestSimulation,
    requestUndo,
    queueRun,
    read,
    list,
    listRunChanges,
    cancel,
  }
}
