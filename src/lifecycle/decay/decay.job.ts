import type { Database } from '../../db/connection.ts'
import { stopSavingEffects } from '../../db/run-effects.ts'
import type { Transaction } from '../../db/transaction.ts'
import { sweepLagMs } from '../../domain/lifecycle/sweep-lag.ts'
import { type Position, walkRunByPosition } from '../../jobs/runs/run-walk.ts'
import type { BatchResult, JobWork, RunContext } from '../../jobs/runs/runs.ts'
import { createSharedRanges } from '../../jobs/runs/shared-ranges.ts'
import { addMilliseconds, subtractMilliseconds } from '../../kernel/units.ts'
import { createBudgets } from './budget.job.ts'
import {
  countDue,
  findNextPosition,
  materialiseNext,
  materialiseRange,
  type Pruned,
  pruneFaded,
  pruneRevised,
  type SweepPart,
} from './decay-sweep.queries.ts'

type Resources = { db: Database; forgottenRetentionMs: number; revisedRetentionMs: number; sizes?: Sizes }

/** A batch holds the locks of its rows for a fraction of a second, and no request waits longer for one. */
type Sizes = {
  /** Rows of a batch that reads an index. */
  rows: number
  /** Pages of a batch that reads the table. */
  blocks: number
  /** From this many due rows the table is read page by page, and workers share the pages. */
  shareFrom: number
}
const defaultSizes: Sizes = { rows: 2_000, blocks: 256, shareFrom: 20_000 }

/**
 * The job `decay`: brings the stored salience near the exact one, forgets records that have faded away, and then what exceeds a
 * budget. No read depends on when it runs: it keeps an index in order and the store from growing.
 */
export function createDecay(resources: Resources): JobWork {
  const { db, forgottenRetentionMs, revisedRetentionMs, sizes = defaultSizes } = resources

  /** A failing range is left to the index sweep that follows, which reports the failing rows one by one. */
  const ranges = createSharedRanges({
    db,
    blocks: sizes.blocks,
    perform: async (tx, run, range) => {
      await stopSavingEffects(tx)
      const written = await materialiseRange(tx, describeSpan(run).asOf, range)
      return { done: written, counts: { materialised: written } }
    },
  })

  const budgets = createBudgets({ db, forgottenRetentionMs, revisedRetentionMs, size: sizes.rows })

  async function run(context: RunContext): Promise<void> {
    const span = describeSpan(context.run)
    const { fading, faded } = await countDue(db, span)
    const exceeding = await budgets.findScopes(context)
    await context.setTotal(exceeding.reduce((sum, { records }) => sum + records, fading + faded))
    const isShared = !context.run.dryRun && span.scope === null
    if (isShared && fading >= sizes.shareFrom) await ranges.divide(context)
    if (isShared) await ranges.finishAll(context)
    if (fading > 0) await sweepIndex(context, 'fading', materialise)
    if (faded > 0) await prune(context)
    await budgets.run(context)
  }

  async function prune(context: RunContext): Promise<void> {
    const span = describeSpan(context.run)
    const describe = describePruned(context.run.dryRun, span)
    const createPruning = (pruneNext: typeof pruneFaded) => async (tx: Transaction, portion: Portion) => {
      // A pruned record names its run, and a plan lists it.
      await stopSavingEffects(tx)
      return describe(await pruneNext(tx, portion))
    }
    await sweepIndex(context, 'faded', createPruning(pruneFaded))
    await sweepIndex(context, 'revised', createPruning(pruneRevised))
  }

  type Span = ReturnType<typeof describeSpan>
  type Portion = Span & { after: Position; limit: number }
  type Walked = BatchResult & { last: Position | undefined }

  function sweepIndex(
    context: RunContext,
    name: SweepPart,
    next: (tx: Transaction, portion: Portion) => Promise<Walked>,
  ): Promise<void> {
    const span = describeSpan(context.run)
    return walkRunByPosition(context, {
      part: name,
      size: sizes.rows,
      doPortion: (tx, portion) => next(tx, { ...span, ...portion }),
      findNext: (tx, after) => findNextPosition(tx, name, { ...span, after }),
    })
  }

  async function materialise(tx: Transaction, portion: Portion): Promise<Walked> {
    await stopSavingEffects(tx)
    const { written, last } = await materialiseNext(tx, portion)
    return { done: written, counts: { materialised: written }, last }
  }

  /**
   * Every instant follows from the start of the run, so a run that another worker continues computes the same values.
   */
  function describeSpan({ id, scope, startedAt }: RunContext['run']) {
    return {
      runId: id,
      scope,
      now: startedAt,
      asOf: subtractMilliseconds(startedAt, sweepLagMs),
      revisedBefore: subtractMilliseconds(startedAt, revisedRetentionMs),
      purgeAt: addMilliseconds(startedAt, forgottenRetentionMs),
    }
  }

  return { run, help: ranges.processFree }
}

type PruneResult = { pruned: readonly Pruned[]; last: Position | undefined }

/**
 * A normal run lists its changes in the statement itself. A dry run rolls that back, so its changes are listed here.
 */
function describePruned(isDryRun: boolean, { now, purgeAt }: { now: Date; purgeAt: Date }) {
  // Written once, and not for each record.
  const after = { forgotten_at: now.toISOString(), purge_at: purgeAt.toISOString() }
  return ({ pruned, last }: PruneResult) => ({
    last,
    done: pruned.length,
    counts: { pruned: pruned.length },
    changes: isDryRun
      ? pruned.map(({ id, salience, version }) => ({
          record_id: id,
          action: 'prune',
          before: { salience },
          after,
          version,
        }))
      : [],
  })
}
