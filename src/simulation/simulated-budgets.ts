import { combineAccesses, countUses, recentAccesses } from '../domain/importance/access-weights.ts'
import { scoreImportance, sourceTrust } from '../domain/importance/importance.ts'
import { budgetGraceMs, computeKeeping, type KeepingFigures } from '../domain/importance/keeping.ts'
import { dayMs } from '../kernel/units.ts'
import { findLeaving, followSalience } from './simulated-life.ts'
import { createEmptyPoint } from './simulated-points.ts'
import type { ScoredLifeRow } from './simulation.queries.ts'
import type { SimulatedPoint } from './simulation.schemas.ts'

/**
 * Simulates budgets of different sizes in one scope. Its records are created, used and removed as recorded. At each
 * simulated moment, each budget forgets the records with the lowest `keeping` until it holds.
 */

export type Limits = { values: readonly number[]; hasBytes: boolean }
type SimulatedBudget = { value: number; isGone: Uint8Array; point: SimulatedPoint }

export function createSimulatedBudgets(
  lives: readonly ScoredLifeRow[],
  { values, hasBytes }: Limits,
  start: Date,
) {
  const traces = lives.map((life) => ({
    life,
    leavesAt: findLeaving(life, 'budget'),
    salienceAt: followSalience(life, start),
    size: hasBytes ? life.bytes : 1,
  }))
  const budgets = values.map(
    (value): SimulatedBudget => ({
      value,
      isGone: new Uint8Array(lives.length),
      point: createEmptyPoint(value),
    }),
  )

  function enforceBudgets(at: Date): void {
    const present = traces.flatMap(({ life, leavesAt }, place) =>
      life.created_at <= at && !(leavesAt && leavesAt <= at) ? [place] : [],
    )
    let order: readonly number[] | undefined
    for (const budget of budgets) {
      let excess = present.reduce((sum, place) => sum + getSize(budget, place), 0) - budget.value
      if (excess <= 0) continue
      order ??= sortLeastFirst(present, at)
      for (const place of order) {
        if (excess <= 0) break
        excess -= getSize(budget, place)
        forget(budget, place, at)
      }
    }
  }

  function getSize({ isGone }: SimulatedBudget, place: number): number {
    return isGone[place] ? 0 : (traces[place]?.size ?? 0)
  }

  /** The records that may be forgotten, those with the lowest `keeping` first. */
  function sortLeastFirst(present: readonly number[], at: Date): number[] {
    const keeping = new Map<number, number>()
    for (const place of present) {
      const trace = traces[place]
      if (trace && mayForget(trace.life, at))
        keeping.set(place, computeKeeping(computeFigures(trace.life, at), trace.salienceAt(at)))
    }
    // Ties stay in the order of the lives, which is the order of ids.
    return [...keeping]
      .sort(([one, ofOne], [other, ofOther]) => ofOne - ofOther || one - other)
      .map(([place]) => place)
  }

  function forget({ isGone, point }: SimulatedBudget, place: number, at: Date): void {
    const life = traces[place]?.life
    if (!life || isGone[place]) return
    isGone[place] = 1
    point.forgotten += 1
    point.bytes_saved += life.bytes
    if (life.last_requested_at && life.last_requested_at > at) point.regretted += 1
  }

  return { enforceBudgets, points: (): SimulatedPoint[] => budgets.map(({ point }) => point) }
}

function mayForget({ pinned, deletion_policy: policy, created_at }: ScoredLifeRow, at: Date): boolean {
  return !pinned && policy === 'auto_prune' && at.getTime() - created_at.getTime() >= budgetGraceMs
}

/** The figures of a moment, from the accesses until then: later ones must not keep a record. */
function computeFigures(life: ScoredLifeRow, now: Date): KeepingFigures {
  const later = life.accesses.filter(([at]) => at > now.getTime())
  const known = life.accesses.slice(later.length)
  const [latest] = known
  const counts = {
    created_at: life.created_at,
    access_count: Math.max(0, life.access_count - later.length),
    served_count: Math.max(0, life.served_count - later.filter(([, kind]) => kind === 'served').length),
    last_accessed_at: latest ? new Date(latest[0]) : null,
  }
  const days = new Set(known.map(([at]) => Math.floor((at - life.created_at.getTime()) / dayMs))).size
  const recent = known.slice(0, recentAccesses).map(([at, kind]) => ({ at: new Date(at), kind }))
  const importance = scoreImportance({
    base_importance: life.base_importance,
    emotional_valence: life.emotional_valence,
    accesses: combineAccesses(counts, { days, recent }, now),
    age_days: (now.getTime() - life.created_at.getTime()) / dayMs,
    layer: life.layer,
    source_trust: sourceTrust[life.source_type],
    confirmations: life.confirmation_count,
  })
  return { importance, base_importance: life.base_importance, uses: countUses(counts) }
}
