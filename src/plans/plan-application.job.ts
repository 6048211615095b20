import type { Database } from '../db/connection.ts'
import { stopSavingEffects } from '../db/run-effects.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Seal } from '../domain/identity/tombstone-seal.ts'
import { listBatches, listEffects, markBatch } from '../effects/index.ts'
import { attempt } from '../jobs/runs/attempt.ts'
import { walkIds } from '../jobs/runs/batch-walk.ts'
import { walkRunById } from '../jobs/runs/run-walk.ts'
import type { JobWork, RunContext } from '../jobs/runs/runs.ts'
import { halve } from '../kernel/collections/halve.ts'
import { lockTombstonesShared, purgeRecords } from '../records/index.ts'
import { type Applied, applyBatch, describeApplied, listSelected } from './planned-batch.service.ts'
import {
  type Application,
  countSelected,
  findApplication,
  listPlanned,
  listPlannedIds,
  listRest,
  markApplied,
} from './planned-changes.queries.ts'
import { findNextForgotten, forgetPlanned } from './planned-forgetting.queries.ts'

const part = 'plan'
const portion = 1_000

/** Returns the jobs so that a run that applies a plan makes the changes of the plan, and any other run does its work. */
export function addPlanApplication<Works extends Readonly<Record<string, JobWork>>>(
  { db, seal }: { db: Database; seal: Seal },
  works: Works,
): Works {
  const extended = Object.entries(works).map(([job, work]): [string, JobWork] => {
    const makeChanges = job === 'purge' ? purgeAll : replayAll(db, seal)
    const run: JobWork['run'] = (context) =>
      'plan_id' in context.run.options ? applyPlan(db, context, makeChanges) : work.run(context)
    return [job, { ...work, run }]
  })
  return Object.fromEntries(extended) as Works
}

type MakeChanges = (context: RunContext, application: Application) => Promise<void>

async function applyPlan(db: Database, context: RunContext, makeChanges: MakeChanges): Promise<void> {
  const application = await findApplication(db, context.run.id)
  // The plan was dropped.
  if (!application) return
  const total = await countSelected(db, { ...application, runId: context.run.id })
  await context.setTotal(total, ['applied', 'skipped'])
  await makeChanges(context, application)
  await context.inBatch(async (tx) => {
    const { applied, skipped } = await listRest(tx, { ...application, runId: context.run.id })
    await markApplied(tx, application.planId, context.run.startedAt)
    return { done: applied + skipped, counts: { applied, skipped } }
  })
}

function replayAll(db: Database, seal: Seal): MakeChanges {
  return async (context, application) => {
    await forgetAll(context, application)
    for (const [number, batch] of (await listBatches(db, application.planId)).entries()) {
      const { failed } = await context.inBatch<Applied>(async (tx) => {
        if (!(await markBatch(tx, context.run.id, number))) return {}
        await lockTombstonesShared(tx)
        const kept = await listEffects(tx, application.planId, batch)
        return applyBatch(tx, context, application, { batch, kept, seal })
      })
      await reportFailed(context, failed)
    }
  }
}

/** Records that the plan only forgets have no effects: the state of each record is kept with its change. */
function forgetAll(context: RunContext, application: Application): Promise<void> {
  const { run } = context
  return walkRunById(context, {
    part,
    size: portion,
    doPortion: async (tx, next) => {
      await stopSavingEffects(tx)
      const given = { runId: run.id, now: run.startedAt, ...next }
      const { applied, skipped, last } = await forgetPlanned(tx, { ...application, ...given })
      return { done: applied + skipped, counts: { applied, skipped }, last: last ?? undefined }
    },
    findNext: (tx, after) => findNextForgotten(tx, application.planId, after),
  })
}

async function reportFailed({ recordFault }: RunContext, failed: Applied['failed']): Promise<void> {
  for (const [recordId, error] of failed ?? []) await recordFault({ error, recordId, part })
}

async function purgeAll(context: RunContext, application: Application): Promise<void> {
  const { run } = context
  let next = 0
  await walkIds(async (after) => {
    const number = next++
    const result = await context.inBatch<Applied & { last: string | undefined }>(async (tx) => {
      const owners = await listPlannedIds(tx, { planId: application.planId, after, limit: portion })
      const last = owners.length < portion ? undefined : owners.at(-1)
      if (!(await markBatch(tx, run.id, number))) return { last }
      const planned = await listPlanned(tx, { ...application, runId: run.id, owners })
      const selected = listSelected(planned, application)
      const failed = new Map<string, unknown>()
      const purged = new Set(await purgeEach(tx, [...selected], run.startedAt, failed))
      const kept = [...selected].filter((id) => !purged.has(id))
      const blocked = new Map(kept.map((id) => [id, 'it was restored or deleted since']))
      return { ...describeApplied(planned, selected, { blocked, failed }), last, failed }
    })
    await reportFailed(context, result.failed)
    return result
  })
}

/** Notes the records that fail, which are found by purging less and less. */
async function purgeEach(tx: Transaction, ids: readonly string[], now: Date, failed: Map<string, unknown>) {
  const outcome = await attempt(tx, () => purgeRecords(tx, ids, now))
  if ('result' in outcome) return outcome.result
  if (ids.length === 1) for (const id of ids) failed.set(id, outcome.error)
  const purged: string[] = []
  for (const half of halve(ids)) for (const id of await purgeEach(tx, half, now, failed)) purged.push(id)
  return purged
}
