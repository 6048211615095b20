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
  replay,
} from '../effects/index.ts'
import type { BatchResult, Change, RunContext } from '../jobs/runs/runs.ts'
import { omitNulls } from '../kernel/omit-nulls.ts'
import { rescore } from '../lifecycle/index.ts'
import { findErasedRecords, queueForEmbedding } from '../records/index.ts'
import { erasedNote } from './listed-changes.queries.ts'
import { type Application, listCreated, listPlanned, type PlannedChange } from './planned-changes.queries.ts'
import { isLogged, leaveChangedImportance, translateEffects } from './planned-effects.ts'

/** `failed`: the records whose changes could not be written, each with its error. */
export type Applied = BatchResult & { failed?: ReadonlyMap<string, unknown> }

/** Makes the selected changes of a batch of the plan, in the transaction of a batch of the run. */
export async function applyBatch(
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
  return { ...describeApplied(planned, selected, { blocked, failed }), failed }
}

/** The records of the changes that are to be made now. */
export function listSelected(planned: readonly PlannedChange[], { only, except }: Application): Set<string> {
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

/** What the run lists of these changes. */
export function describeApplied(
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
