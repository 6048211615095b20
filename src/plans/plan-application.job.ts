import type { Database } from '../db/connection.ts'
import { stopSavingEffects } from '../db/run-effects.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Seal } from '../domain/identity/tombstone-seal.ts'
import type { Payload } from '../domain/payloads/payloads.ts'
import {
  assignEdges,
  type Effect,
  erasedContentNote,
  insertLogs,
  isCreation,
  listBatches,
  listEffects,
  markBatch,
  replay,
} from '../effects/index.ts'
import { attempt } from '../jobs/attempt.ts'
import type { BatchResult, Change, JobWork, RunContext } from '../jobs/runs.ts'
import { walkIds, walkRunById } from '../jobs/table-walk.ts'
import { halve } from '../kernel/halve.ts'
import { omitNulls } from '../kernel/omit-nulls.ts'
import { rescore } from '../lifecycle/index.ts'
import { findErasedRecords, lockTombstonesShared, purgeRecords, queueForEmbedding } from '../records/index.ts'
import { erasedNote } from './listed-changes.queries.ts'
import {
  type Application,
  countSelected,
  findApplication,
  listCreated,
  listPlanned,
  listPlannedIds,
  listRest,
  markApplied,
  type PlannedChange,
} from './planned-changes.queries.ts'
import { isLogged, leaveChangedImportance, translateEffects } from './planned-effects.ts'
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

type Applied = BatchResult & { failed?: ReadonlyMap<string, unknown> }

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
      return { ...describe(planned, selected, { blocked, failed }), last, failed }
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

async function applyBatch(
  tx: Transaction,
  { run }: RunContext,
  application: Application,
  { batch, kept, seal }: { batch: string; kept: readonly Effect[]; seal: Seal },
): Promise<Applied> {
  const { planId, plannedAt } = application
  const owners = [...new Set(kept.flatMap(({ owner }) => owner ?? []))]
  const planned = await listPlanned(tx, { ...application, runId: run.id, owners, batch })
  const done = new Set(planned.flatMap(({ record_id: id, is_done }) => (is_done ? id : [])))
  const known = new Set(planned.map(({ record_id: id }) => id))
  const selected = listSelected(planned, application)
  const laterMs = run.startedAt.getTime() - plannedAt.getTime()
  const effects = translateEffects(
    assignEdges(kept).filter(({ owner }) => owner === null || !done.has(owner)),
    { planId, runId: run.id, plannedAt, laterMs, created: new Set(await listCreated(tx, planId, owners)) },
  )
  if (isLogged(effects)) await stopSavingEffects(tx)
  const unwritable = new Map([
    ...(await findErasedCreations(tx, seal, effects)),
    ...planned.flatMap(({ record_id: id, note }) => (note === erasedNote ? [[id, note] as const] : [])),
  ])
  const isLeftOut = (owner: string) => known.has(owner) && !selected.has(owner)
  const replayed = await replay(tx, effects, {
    direction: 'forward',
    isolatesFailures: true,
    findErased: (records) => findErasedRecords(tx, seal, records),
    isLeftOut,
    unwritable,
  })
  const { blocked, unscored } = leaveChangedImportance(replayed, planned)
  const isOutdated = ({ relation, owner }: Effect) =>
    relation === 'importance_history' && owner !== null && unscored.has(owner)
  await insertLogs(
    tx,
    effects.filter((effect) => effect.owner !== null && !blocked.has(effect.owner) && !isOutdated(effect)),
  )
  if (unscored.size > 0) await rescore(tx, { ids: [...unscored], now: run.startedAt, runId: run.id })
  await queueForEmbedding(tx, listTexts(replayed.effects), run.startedAt)
  const { failed } = replayed
  return { ...describe(planned, selected, { blocked, failed }), failed }
}

/** The records of the changes that are to be made now. */
function listSelected(planned: readonly PlannedChange[], { only, except }: Application): Set<string> {
  const isSelected = ({ record_id: id, action, is_done, is_excluded }: PlannedChange) => {
    if (is_done || is_excluded || except?.includes(id)) return false
    return only === null || only.includes(id) || only.includes(action)
  }
  return new Set(planned.filter(isSelected).map(({ record_id: id }) => id))
}

/** The new records that say what was erased from their scope since the plan was prepared. */
async function findErasedCreations(
  tx: Transaction,
  seal: Seal,
  effects: readonly Effect[],
): Promise<[string, string][]> {
  const scopes = new Map(
    effects.flatMap((effect) =>
      isCreation(effect) ? [[effect.owner, String(effect.after?.['scope'])]] : [],
    ),
  )
  const contents = effects.flatMap(({ relation, owner, after }) => {
    const scope = scopes.get(owner)
    if (relation !== 'contents' || !after || owner === null || scope === undefined) return []
    return [{ id: owner, scope, payload: after['payload'] as Payload }]
  })
  return [...(await findErasedRecords(tx, seal, contents))].map((id) => [id, erasedContentNote])
}

/** The records whose text is new. */
function listTexts(effects: readonly Effect[]): string[] {
  return effects.flatMap(({ relation, owner, after }) =>
    relation === 'contents' && after && owner !== null ? [owner] : [],
  )
}

function describe(
  planned: readonly PlannedChange[],
  selected: ReadonlySet<string>,
  { blocked, failed }: { blocked: ReadonlyMap<string, string>; failed: ReadonlyMap<string, unknown> },
): BatchResult {
  // A record that is changed in several batches is done after the last of them.
  const applied = planned.filter(
    ({ record_id: id, is_done, is_last }) => selected.has(id) && !blocked.has(id) && !is_done && is_last,
  )
  const skipped = [...selected].filter((id) => blocked.has(id) && !failed.has(id))
  return {
    done: applied.length + skipped.length,
    counts: { applied: applied.length, skipped: skipped.length },
    changes: [
      ...applied.map(
        ({ record_id, action, before, after, note }): Change =>
          omitNulls({ record_id, action, before, after, note }),
      ),
      ...skipped.map((id): Change => ({ record_id: id, action: 'skipped', note: blocked.get(id) ?? '' })),
    ],
  }
}
