import type { Database } from '../db/connection.ts'
import { stopSavingEffects } from '../db/run-effects.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Seal } from '../domain/identity/tombstone-seal.ts'
import { erasedContentNote, listBatches, markBatch } from '../effects/index.ts'
import { walkIds } from '../jobs/runs/batch-walk.ts'
import { walkRunById } from '../jobs/runs/run-walk.ts'
import type { BatchResult, Change, JobWork, RunContext } from '../jobs/runs/runs.ts'
import { findErasedRecords, lockTombstonesShared } from '../records/index.ts'
import { findForgottenContents, restoreForgotten } from './forgetting.queries.ts'
import { countChanged, findNextChanged, listImportanceMoves, listKept } from './undo.queries.ts'
import {
  listWhenDry,
  readOptions,
  type Undo,
  type UndoneBatch,
  undoBatch,
  undoEffects,
} from './undone-batch.service.ts'

const part = 'undo'
const portion = 1_000
/** These are only listed. */
const keptAtOnce = 10_000

/** The job `undo`: takes back what a run did, the newest batch first, where it still stands. */
export function createUndo({ db, seal }: { db: Database; seal: Seal }): JobWork {
  async function run(context: RunContext): Promise<void> {
    const undo = { seal, context, options: readOptions(context) }
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
/** A record that fails is left as it is. Another undo of the same run takes it back once its cause is gone. */
async function inReplay<T extends UndoneBatch>(
  context: RunContext,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const result = await context.inBatch(work)
  for (const [recordId, error] of result.failed ?? []) await context.recordFault({ error, recordId, part })
  return result
}

async function undoImportance(tx: Transaction, undo: Undo, after: string): Promise<Portion & UndoneBatch> {
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
