import type { Database } from '../db/connection.ts'
import { saveEffects, stopSavingEffects } from '../db/run-effects.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Seal } from '../domain/identity/tombstone-seal.ts'
import type { Via } from '../domain/trust/caller.ts'
import {
  createRewrite,
  type Effect,
  erasedContentNote,
  insertEntries,
  insertImportanceMoves,
  listBatches,
  listEffects,
  listWrittenVersions,
  markBatch,
  replay,
} from '../effects/index.ts'
import { attempt } from '../jobs/attempt.ts'
import type { BatchResult, Change, JobWork, RunContext } from '../jobs/runs.ts'
import { walkIds, walkRunById } from '../jobs/table-walk.ts'
import { rescore } from '../lifecycle/index.ts'
import { findErasedRecords, lockTombstonesShared } from '../records/index.ts'
import {
  findForgottenContents,
  type Rewritten,
  restoreForgotten,
  takeBackForgetting,
} from './forgetting.queries.ts'
import {
  countChanged,
  findNextChanged,
  listChangesOf,
  listImportanceMoves,
  listKept,
} from './undo.queries.ts'
import { describeBatch } from './undone-batch.service.ts'
import { describeUndone } from './undone-changes.ts'

type UndoOptions = { run_id: string; only?: string[]; actor: string; rationale: string; via?: Via | null }

/** Every part of one undo needs these. The options were checked when the undo was requested. */
type Undo = { seal: Seal; context: RunContext; options: UndoOptions }

const part = 'undo'
const portion = 1_000
/** These are only listed. */
const keptAtOnce = 10_000

/** The job `undo`: takes back what a run did, the newest batch first, where it still stands. */
export function createUndo({ db, seal }: { db: Database; seal: Seal }): JobWork {
  async function run(context: RunContext): Promise<void> {
    const undo: Undo = { seal, context, options: context.run.options as UndoOptions }
    const { run_id: targetId, only = null } = undo.options
    await context.setTotal(await countChanged(db, { targetId, only }), ['undone', 'kept'])
    // A change that was taken back differs from now on, so a run that goes on after a crash does not find it again.
    await walkIds((after) => inReplay(context, (tx) => undoImportance(tx, undo, after)))
    await walkRunById(context, {
      part,
      size: portion,
      doPortion: (tx, next) => restoreRecords(tx, undo, next),
      findNext: (tx, after) => findNextChanged(tx, { targetId, after }),
    })
    const batches = await listBatches(db, targetId)
    for (const [number, batch] of [...batches.entries()].reverse()) {
      await inReplay(context, async (tx) => {
        if (!(await markBatch(tx, context.run.id, number))) return {}
        return undoBatch(tx, undo, batch)
      })
    }
    await walkIds((after) => context.inBatch((tx) => listKeptRecords(tx, undo, after)))
  }

  return { run, batchesDepend: ({ dryRun }) => dryRun }
}

type Portion = BatchResult & { last: string | undefined }
type Replayed = BatchResult & { failed?: ReadonlyMap<string, unknown> | undefined }

/** A record that fails is left as it is. Another undo of the same run takes it back once its cause is gone. */
async function inReplay<T extends Replayed>(
  context: RunContext,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const result = await context.inBatch(work)
  for (const [recordId, error] of result.failed ?? []) await context.recordFault({ error, recordId, part })
  return result
}

async function undoImportance(tx: Transaction, undo: Undo, after: string): Promise<Portion & Replayed> {
  const { run_id: runId } = undo.options
  const effects = await listImportanceMoves(tx, { runId, after, limit: portion })
  const result = effects.length === 0 ? {} : await undoEffects(tx, undo, effects, 'rescore')
  return { ...result, last: effects.length < portion ? undefined : (effects.at(-1)?.owner ?? undefined) }
}

async function restoreRecords(
  tx: Transaction,
  { seal, context, options }: Undo,
  { after, limit }: { after: string; limit: number },
): Promise<Portion> {
  const { run } = context
  const { run_id: targetId, only = null, actor, rationale, via = null } = options
  // The statement writes the effects itself: a trigger would do it row by row.
  await stopSavingEffects(tx)
  await lockTombstonesShared(tx)
  const next = { runId: run.id, targetId, only, after, limit }
  const contents = await findForgottenContents(tx, next)
  const erased = await findErasedRecords(tx, seal, contents)
  const { rewritten, last } = await restoreForgotten(tx, {
    ...next,
    erasedIds: [...erased],
    actor,
    rationale,
    via,
    now: run.startedAt,
  })
  const kept = contents.filter((each) => erased.has(each.id) && !each.is_listed)
  return {
    done: rewritten.length + kept.length,
    counts: { undone: rewritten.length, kept: kept.length },
    changes: [
      ...listWhenDry(context, rewritten),
      ...kept.map(({ id }): Change => ({ record_id: id, action: 'kept', note: erasedContentNote })),
    ],
    last: last ?? undefined,
  }
}

/** A dry run rolls back what the statement has listed. */
function listWhenDry({ run }: RunContext, rewritten: readonly Rewritten[]): Change[] {
  return run.dryRun ? rewritten.map((each) => ({ action: 'undo', ...each })) : []
}

async function undoBatch(tx: Transaction, undo: Undo, batch: string): Promise<Replayed> {
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
async function takeBackTogether(tx: Transaction, taking: Parameters<typeof takeBackForgetting>[1]) {
  const outcome = await attempt(tx, () => takeBackForgetting(tx, taking))
  return 'result' in outcome ? outcome.result : { rewritten: [], left: 1 }
}

/** The remaining records stay as they are. A dry run rolls back the entries of the statement. */
async function listKeptRecords(
  tx: Transaction,
  { context: { run }, options }: Undo,
  after: string,
): Promise<Portion> {
  const { run_id: targetId, only = null } = options
  const { kept, last } = await listKept(tx, { runId: run.id, targetId, only, after, limit: keptAtOnce })
  return {
    done: kept.length,
    counts: { kept: kept.length },
    changes: run.dryRun ? kept.map(({ id, note }) => ({ record_id: id, action: 'kept', note })) : [],
    last: last ?? undefined,
  }
}

async function undoEffects(
  tx: Transaction,
  { seal, context: { run }, options }: Undo,
  effects: readonly Effect[],
  /** The changes of the run to records that it does not list. */
  unlisted?: 'rescore',
): Promise<Replayed> {
  const { run_id: targetId, only, actor, rationale, via = null } = options
  await lockTombstonesShared(tx)
  const owners = [...new Set(effects.flatMap(({ owner }) => owner ?? []))]
  const listed = await listChangesOf(tx, { runId: run.id, targetId }, owners)
  const isChosen = isSelected(only)
  const selected = new Set(listed.filter(isChosen).map(({ record_id: id }) => id))
  const isNamed = (id: string) => unlisted !== undefined && isChosen({ record_id: id, action: unlisted })
  const {
    effects: written,
    blocked,
    failed,
    importanceMoves,
    unscored,
  } = await replay(tx, effects, {
    direction: 'backward',
    isolatesFailures: true,
    findErased: (records) => findErasedRecords(tx, seal, records),
    isLeftOut: (owner) => only !== undefined && !selected.has(owner) && !isNamed(owner),
    versions: await listWrittenVersions(tx, run.id, owners),
    rewrite: createRewrite(effects, run.startedAt),
  })
  const changedRecords = new Set(listed.flatMap((each) => (each.is_changed ? each.record_id : [])))
  const entries = describeUndone(
    written,
    [...selected].filter((id) => !blocked.has(id) && !changedRecords.has(id)),
  )
  const reason = { actor, rationale, via, runId: run.id, now: run.startedAt }
  if (entries.length > 0) await insertEntries(tx, entries, { action: 'undo', ...reason })
  if (importanceMoves.length > 0)
    await insertImportanceMoves(tx, importanceMoves, { runId: run.id, now: run.startedAt })
  if (unscored.size > 0) await rescore(tx, { ids: [...unscored], now: run.startedAt, runId: run.id })
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

function isSelected(only: readonly string[] | undefined) {
  return ({ record_id: id, action }: { record_id: string; action: string }) =>
    only === undefined || only.includes(id) || only.includes(action)
}
