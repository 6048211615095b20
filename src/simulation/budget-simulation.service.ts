import { walkIds } from '../jobs/runs/batch-walk.ts'
import type { RunContext } from '../jobs/runs/runs.ts'
import { AppError } from '../kernel/errors.ts'
import { createSimulatedBudgets, type Limits } from './simulated-budgets.ts'
import { addPoints, createEmptyPoint } from './simulated-points.ts'
import { readScoredLives, type ScoredLifeRow, type Selection, saveProgress } from './simulation.queries.ts'
import type { SimulatedPoint } from './simulation.schemas.ts'

/** A budget compares all records of a scope, so they are held in memory: about a kilobyte each. */
const maxRecords = 250_000
/** Once a day for a month. In reality a budget is enforced with every run of the decay job. */
const moments = 30

type BudgetSimulation = { selection: Selection; limits: Limits; size: number }

/** Each scope on its own is held to each of the limits. A run that is continued starts again: it reads for seconds. */
export async function simulateBudgets(
  context: RunContext,
  { selection, limits, size }: BudgetSimulation,
): Promise<void> {
  const { id } = context.run
  const lives = await readAll(context, selection, size)
  const scopes = Map.groupBy(lives, ({ scope }) => scope)
  let curve = limits.values.map(createEmptyPoint)
  for (const members of scopes.values())
    curve = addPoints(curve, await replay(context, members, selection, limits))
  await context.inBatch(async (tx) => {
    await saveProgress(tx, id, { position: '', curve })
    return { counts: {} }
  })
}

async function readAll(context: RunContext, selection: Selection, size: number): Promise<ScoredLifeRow[]> {
  const lives: ScoredLifeRow[] = []
  await walkIds(async (after) => {
    const { rows } = await context.inBatch(async (tx) => {
      const rows = await readScoredLives(tx, { ...selection, after, limit: size })
      return { done: rows.length, rows }
    })
    for (const row of rows) lives.push(row)
    if (lives.length > maxRecords) throw createTooManyError()
    return { last: rows.length < size ? undefined : rows.at(-1)?.id }
  })
  return lives
}

async function replay(
  context: RunContext,
  lives: readonly ScoredLifeRow[],
  { from, until }: Selection,
  limits: Limits,
): Promise<SimulatedPoint[]> {
  const budgets = createSimulatedBudgets(lives, limits, from)
  const span = (until.getTime() - from.getTime()) / moments
  for (let moment = 1; moment <= moments; moment++) {
    // Also lets other work of this process go on.
    if (lives.length > 1_000) await context.throwIfEnded()
    budgets.enforceBudgets(new Date(from.getTime() + moment * span))
  }
  return budgets.points()
}

function createTooManyError(): AppError {
  const most = maxRecords.toLocaleString('en')
  return new AppError(
    'validation_failed',
    `A simulation of budgets covers at most ${most} records: name a scope.`,
  )
}
