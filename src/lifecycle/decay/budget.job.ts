import type { Database } from '../../db/connection.ts'
import { stopSavingEffects } from '../../db/run-effects.ts'
import { foldTallies } from '../../db/tallies.ts'
import type { Transaction } from '../../db/transaction.ts'
import { walkInBatches } from '../../jobs/runs/batch-walk.ts'
import type { RunContext } from '../../jobs/runs/runs.ts'
import { addMilliseconds, subtractMilliseconds } from '../../kernel/units.ts'
import {
  countForgottenByScope,
  deleteEmptySizes,
  type ForgottenForBudget,
  findOverBudget,
  foldScopeSizes,
  forgetForBudget,
  lockScopeSize,
  type OverBudget,
} from './budget.queries.ts'
import type { Candidate } from './budget-order.queries.ts'
import { type BudgetOrder, findLine, findShareOfOld, walkInBudgetOrder } from './budget-order.service.ts'

type Resources = { db: Database; forgottenRetentionMs: number; revisedRetentionMs: number; size: number }

/** Rows of counts that one batch adds up. */
const foldedRows = 5_000

/** The most passes of a run. The next run continues: writers add records meanwhile, and others hold locks. */
const maxPasses = 3

type Scope = OverBudget & {
  /** How many records the run has forgotten for this budget. */
  ranked: number
  /** The size of the records that a dry run has listed, in the unit of the budget: they are still counted. */
  listed: number
}
/** `reserved` is the part of the excess that new records take, which are not forgotten yet. */
type Pass = { order: BudgetOrder; line: number; reserved: number }

/**
 * The part of the decay job that enforces budgets. For each scope it finds the line: enough records have a lower `keeping`. Then it
 * forgets these records in batches. Each batch counts the scope again while no other transaction can lower its size, so that no
 * worker forgets too much, not even after a crash.
 */
export function createBudgets({ db, size, forgottenRetentionMs, revisedRetentionMs }: Resources) {
  function findScopes({ run }: RunContext, tx: Database = db, scope = run.scope): Promise<OverBudget[]> {
    const now = run.startedAt
    return findOverBudget(tx, { now, revisedBefore: subtractMilliseconds(now, revisedRetentionMs), scope })
  }

  async function run(context: RunContext): Promise<void> {
    await foldCounts(context)
    const found = await findScopes(context)
    if (found.length === 0) return
    const ranked = await countForgottenByScope(db, context.run.id)
    for (const each of found) {
      const scope: Scope = { ...each, ranked: ranked.get(each.scope) ?? 0, listed: 0 }
      await enforceBudget(context, scope, { isInGrace: false })
      if (scope.is_hard) await enforceBudget(context, scope, { isInGrace: true })
    }
  }

  /** Adds up the rows of counts that each connection leaves, and the rows of sizes that each scope leaves: they would grow for ever. */
  async function foldCounts({ run, inBatch }: RunContext): Promise<void> {
    if (run.dryRun || run.scope !== null) return
    for (const fold of [foldScopeSizes, deleteEmptySizes, foldTallies]) {
      const foldSome = (tx: Transaction) => fold(tx, foldedRows).then((folded) => ({ counts: {}, folded }))
      while ((await inBatch(foldSome)).folded === foldedRows) {}
    }
  }

  async function enforceBudget(
    context: RunContext,
    scope: Scope,
    { isInGrace }: { isInGrace: boolean },
  ): Promise<void> {
    for (let pass = 0; pass < maxPasses; pass += 1) {
      const [current] = await findScopes(context, db, scope.scope)
      const excess = (current?.excess ?? 0) - scope.listed
      if (excess <= 0) return
      const hadCandidates = await forgetOnce(context, scope, { isInGrace, excess })
      if (!hadCandidates || context.run.dryRun) return
    }
  }

  /** Returns whether there was a record to forget. Even if all were locked, the next pass may find them unlocked. */
  async function forgetOnce(
    context: RunContext,
    scope: Scope,
    { isInGrace, excess }: { isInGrace: boolean; excess: number },
  ): Promise<boolean> {
    const { startedAt: now } = context.run
    const order = {
      now,
      revisedBefore: subtractMilliseconds(now, revisedRetentionMs),
      scope: scope.scope,
      isInGrace,
      protect: scope.protect,
      hasBytes: scope.has_bytes,
    }
    const share = scope.is_hard ? excess : await findShareOfOld(db, order, excess)
    if (share <= 0) return false
    const line = await findLine(db, order, share)
    if (line === undefined) return false
    const pass = { order, line, reserved: excess - share }
    for await (const candidates of walkInBudgetOrder(db, order, { line })) {
      if (await forgetAmong(context, scope, pass, candidates)) break
    }
    return true
  }

  /** Returns whether the budget holds. */
  async function forgetAmong(
    context: RunContext,
    scope: Scope,
    pass: Pass,
    candidates: readonly Candidate[],
  ): Promise<boolean> {
    let isHeld = false
    const next = (position: number) => (isHeld || position >= candidates.length ? undefined : position)
    await walkInBatches<number>({
      start: 0,
      size,
      doBatch: async (from, limit) => {
        const ids = candidates.slice(from, from + limit).map(({ id }) => id)
        const { forgotten, excess } = await context.inBatch((tx) =>
          forgetNext(tx, context, { scope, pass, ids }),
        )
        const taken = forgotten.reduce((sum, each) => sum + each.size, 0)
        scope.ranked += forgotten.length
        if (context.run.dryRun) scope.listed += taken
        isHeld = taken >= excess
        return next(from + limit)
      },
      skipRecord: async (from, error) => {
        const recordId = candidates[from]?.id
        if (recordId !== undefined) await context.recordFault({ error, recordId, part: 'budget' })
        return next(from + 1)
      },
    })
    return isHeld
  }

  async function forgetNext(
    tx: Transaction,
    context: RunContext,
    { scope, pass: { order, line, reserved }, ids }: { scope: Scope; pass: Pass; ids: readonly string[] },
  ) {
    // A forgotten record names its run, and a plan lists it.
    await stopSavingEffects(tx)
    await lockScopeSize(tx, scope.scope)
    const [current] = await findScopes(context, tx, scope.scope)
    // A budget that was changed meanwhile is enforced by the next run.
    const isSame = current?.has_bytes === order.hasBytes && current.is_hard === scope.is_hard
    const excess = isSame ? current.excess - scope.listed - reserved : 0
    const purgeAt = addMilliseconds(order.now, forgottenRetentionMs)
    const forgotten =
      excess <= 0
        ? []
        : await forgetForBudget(tx, {
            ...order,
            line,
            ids,
            excess,
            purgeAt,
            ranked: scope.ranked,
            runId: context.run.id,
            protect: current?.protect ?? order.protect,
          })
    const counts = { over_budget: forgotten.length }
    const changes = context.run.dryRun ? forgotten.map(describe({ now: order.now, purgeAt, line })) : []
    return { forgotten, excess, done: forgotten.length, counts, changes }
  }

  return { findScopes, run }
}

/** A normal run lists its changes in the statement itself. A dry run rolls that back, so its changes are listed here. */
function describe({ now, purgeAt, line }: { now: Date; purgeAt: Date; line: number }) {
  return ({ id, rank, salience, importance, keeping, version }: ForgottenForBudget) => ({
    record_id: id,
    action: 'forget',
    before: { salience, importance, keeping },
    after: { forgotten_at: now, purge_at: purgeAt, rank, line },
    version,
  })
}
