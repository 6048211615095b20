import { saveEffects, stopSavingEffects } from '../db/run-effects.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Seal } from '../domain/identity/tombstone-seal.ts'
import type { Via } from '../domain/trust/caller.ts'
import {
  createRewrite,
  type Effect,
  insertEntries,
  insertImportanceMoves,
  listEffects,
  listWrittenVersions,
  type Replayed,
  replay,
} from '../effects/index.ts'
import { attempt } from '../jobs/runs/attempt.ts'
import type { BatchResult, Change, RunContext } from '../jobs/runs/runs.ts'
import { rescore } from '../lifecycle/index.ts'
import { findErasedRecords, lockTombstonesShared } from '../records/index.ts'
import { type Rewritten, type TakingBack, takeBackForgetting } from './forgetting.queries.ts'
import { type ListedChange, listChangesOf, listTakenBack, takenBackNote } from './undo.queries.ts'
import { describeUndone, splitChanges } from './undone-changes.ts'

type UndoOptions = { run_id: string; only?: string[]; actor: string; rationale: string; via?: Via | null }

/** Every part of one undo needs these. The options were checked when the undo was requested. */
export type Undo = { seal: Seal; context: RunContext; options: UndoOptions }

export function readOptions({ run }: RunContext): UndoOptions {
  return run.options as UndoOptions
}

/** `failed`: the records that could not be written, each with its error. */
export type UndoneBatch = BatchResult & { failed?: ReadonlyMap<string, unknown> | undefined }

/** Takes back a batch of the run, in the transaction of a batch of the undo. */
export async function undoBatch(tx: Transaction, undo: Undo, batch: string): Promise<UndoneBatch> {
  const { run } = undo.context
  const { run_id: targetId, only = null, actor, rationale, via = null } = undo.options
  await stopSavingEffects(tx)
  await lockTombstonesShared(tx)
  const writing = { runId: run.id, targetId, only, actor, rationale, via, now: run.startedAt }
  const { rewritten, left } = await takeBackTogether(tx, { ...writing, batch })
  await saveEffects(tx, run)
  const changes = listWhenDry(undo.context, rewritten)
  if (left === 0) return { done: rewritten.length, counts: { undone: rewritten.length, kept: 0 }, changes }
  const done = new Set(rewritten.map(({ record_id: id }) => id))
  const effects = await listEffects(tx, targetId, batch)
  const rest = await undoEffects(
    tx,
    undo,
    effects.filter(({ owner }) => owner === null || !done.has(owner)),
  )
  const { undone = 0, kept = 0 } = rest.counts ?? {}
  return {
    done: done.size + (rest.done ?? 0),
    counts: { undone: done.size + undone, kept },
    changes: [...changes, ...(rest.changes ?? [])],
    failed: rest.failed,
  }
}

/** One by one where that fails. */
async function takeBackTogether(tx: Transaction, taking: TakingBack) {
  const outcome = await attempt(tx, () => takeBackForgetting(tx, taking))
  return 'result' in outcome ? outcome.result : { rewritten: [], left: 1 }
}

/** Takes back these effects where the rows are still as the run left them. */
export async function undoEffects(
  tx: Transaction,
  undo: Undo,
  effects: readonly Effect[],
  /** The changes of the run to records that it does not list. */
  unlisted?: 'rescore',
): Promise<UndoneBatch> {
  const { seal, context, options } = undo
  const { run } = context
  const { run_id: targetId, only } = options
  await lockTombstonesShared(tx)
  const owners = [...new Set(effects.flatMap(({ owner }) => owner ?? []))]
  const listed = await listChangesOf(tx, { runId: run.id, targetId }, owners)
  const isChosen = isSelected(only)
  const selected = new Set(listed.filter(isChosen).map(({ record_id: id }) => id))
  const isNamed = (id: string) => unlisted !== undefined && isChosen({ record_id: id, action: unlisted })
  const replayed = await replay(tx, effects, {
    direction: 'backward',
    isolatesFailures: true,
    findErased: (records) => findErasedRecords(tx, seal, records),
    isLeftOut: (owner) => only !== undefined && !selected.has(owner) && !isNamed(owner),
    versions: await listWrittenVersions(tx, run.id, owners),
    rewrite: createRewrite(effects, run.startedAt),
  })
  const { blocked, failed, importanceMoves } = replayed
  const changedRecords = new Set(listed.flatMap((each) => (each.is_changed ? each.record_id : [])))
  const entries = describeUndone(
    replayed.effects,
    [...selected].filter((id) => !blocked.has(id) && !changedRecords.has(id)),
  )
  await recordUndone(tx, undo, entries, replayed)
  const others = importanceMoves.filter(({ record_id: id }) => isNamed(id) && !selected.has(id))
  const unlistedCount = others.length
  const result = await describeBatch(tx, targetId, {
    listed,
    selected,
    entries,
    blocked,
    failed,
    unlistedCount,
  })
  return { ...result, failed }
}

/** Writes the log of what was taken back, and the importance that follows from it. */
async function recordUndone(
  tx: Transaction,
  { context: { run }, options: { actor, rationale, via = null } }: Undo,
  entries: UndoneEffects['entries'],
  { importanceMoves, unscored }: Pick<Replayed, 'importanceMoves' | 'unscored'>,
): Promise<void> {
  const written = { runId: run.id, now: run.startedAt }
  if (entries.length > 0)
    await insertEntries(tx, entries, { action: 'undo', actor, rationale, via, ...written })
  if (importanceMoves.length > 0) await insertImportanceMoves(tx, importanceMoves, written)
  if (unscored.size > 0) await rescore(tx, { ids: [...unscored], ...written })
}

function isSelected(only: readonly string[] | undefined) {
  return ({ record_id: id, action }: { record_id: string; action: string }) =>
    only === undefined || only.includes(id) || only.includes(action)
}

type UndoneEffects = {
  listed: readonly ListedChange[]
  selected: ReadonlySet<string>
  entries: ReturnType<typeof describeUndone>
  /** The records that were changed since, each with the reason why it stays. */
  blocked: ReadonlyMap<string, string>
  /** Those among them that failed. They are listed as such. */
  failed: ReadonlyMap<string, unknown>
  unlistedCount: number
}

/** Lists each record once, although the run may have changed it in several batches. */
async function describeBatch(
  tx: Transaction,
  targetId: string,
  { listed, selected, entries, blocked, failed, unlistedCount }: UndoneEffects,
): Promise<BatchResult> {
  const changesById = new Map(entries.map((entry) => [entry.record_id, entry.changes]))
  const listedAs = (action: string) =>
    new Set(listed.flatMap((each) => (each.listed === action ? each.record_id : [])))
  const undoneBefore = listedAs('undo')
  const keptBefore = listedAs('kept')
  const undone = [...selected].filter((id) => changesById.has(id) && !undoneBefore.has(id))
  const kept = [...selected].filter((id) => blocked.has(id) && !failed.has(id) && !keptBefore.has(id))
  const earlier = kept.length > 0 ? await listTakenBack(tx, targetId, kept) : new Set()
  return {
    done: undone.length + kept.length,
    counts: { undone: undone.length + unlistedCount, kept: kept.length },
    changes: [
      ...undone.map(
        (id): Change => ({ record_id: id, action: 'undo', ...splitChanges(changesById.get(id)) }),
      ),
      ...kept.map((id): Change => {
        const note = earlier.has(id) ? takenBackNote : (blocked.get(id) ?? '')
        return { record_id: id, action: 'kept', note }
      }),
    ],
  }
}

/** A dry run rolls back what the statement has listed. */
export function listWhenDry({ run }: RunContext, rewritten: readonly Rewritten[]): Change[] {
  return run.dryRun ? rewritten.map((each) => ({ action: 'undo', ...each })) : []
}
