import { isHistory, Layer, RecordType, Status } from '../domain/schemas/vocabulary.ts'
import { addMilliseconds, dayMs, subtractMilliseconds } from '../kernel/units.ts'
import type { RegretGroup } from '../regrets/index.ts'
import { type StoreMetrics, scoreBands } from './metrics.schemas.ts'
import { computeRegretRates } from './regret-rates.ts'
import type { CountRow, DayRow, SampleRow } from './summary.queries.ts'

const types = RecordType.enum
/** How many days the growth and the fading cover. */
export const daysBehind = 30
export const daysAhead = 7

type SummaryCounts = {
  counts: readonly CountRow[]
  created: readonly DayRow[]
  fading: readonly DayRow[]
  sample: SampleRow
  regret: readonly RegretGroup[]
}

/** Builds the summary. Counts are exact; figures from a sample are scaled to them. */
export function describeFigures(
  { counts, created, fading, sample, regret }: SummaryCounts,
  at: { asOf: Date; isSampled: boolean },
): StoreMetrics {
  const countOf = (isMeant: (row: CountRow) => boolean) =>
    counts.filter(isMeant).reduce((sum, { records }) => sum + records, 0)
  const total = countOf(() => true)
  const scaleCount = (count: number) => (at.isSampled ? scale(count, sample.records, total) : count)
  const groupInBands = (bands: readonly number[]) =>
    Object.fromEntries(scoreBands.map((band, place) => [band, scaleCount(bands[place] ?? 0)]))
  const countEach = (names: readonly string[], read: (row: CountRow) => string) =>
    Object.fromEntries(names.map((name) => [name, countOf((row) => read(row) === name)]))
  const fresh = created.find(({ day }) => day === daysBehind - 1)?.records ?? 0
  const tried = (sample.successes ?? 0) + (sample.failures ?? 0)
  return {
    as_of: at.asOf.toISOString(),
    is_sampled: at.isSampled,
    total_records: total,
    records_by_type: countEach(types, (row) => row.type),
    records_by_layer: countEach(Layer.enum, (row) => row.layer),
    records_by_status: countEach(Status.enum, (row) => row.status),
    active_records: countOf(({ status }) => status === 'active'),
    pinned_records: countOf(({ pinned }) => pinned),
    avg_salience: computeRatio(sample.salience ?? 0, sample.records),
    avg_confidence: computeRatio(sample.confidence ?? 0, sample.records),
    salience_distribution: groupInBands(sample.bands),
    importance_distribution: groupInBands(sample.importance_bands),
    created_by_day: listDays(created, daysBehind, subtractMilliseconds(at.asOf, daysBehind * dayMs)),
    fading_by_day: listDays(fading, daysAhead, at.asOf),
    total_audit_entries: scaleCount(sample.entries),
    // Counted a moment later, so it can be larger than the total.
    memory_growth_rate: computeRatio(Math.min(fresh, total), total),
    retrieval_usefulness: computeRatio((sample.accesses ?? 0) - (sample.served ?? 0), sample.accesses ?? 0),
    competence_success_rate: computeRatio(sample.successes ?? 0, tried),
    plan_reuse_frequency: computeRatio(sample.executions ?? 0, sample.plans),
    revision_rate: computeRatio(
      countOf(({ status }) => isHistory(status)),
      total,
    ),
    regret: computeRegretRates(regret),
  }
}

/** A day without records is 0, not left out. */
function listDays(rows: readonly DayRow[], days: number, first: Date): StoreMetrics['created_by_day'] {
  const counted = new Map(rows.map(({ day, records }) => [day, records]))
  return Array.from({ length: days }, (_, day) => ({
    from: addMilliseconds(first, day * dayMs).toISOString(),
    records: counted.get(day) ?? 0,
  }))
}

/** Null when there is nothing to compare with. */
function computeRatio(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null
}

function scale(count: number, drawn: number, total: number): number {
  return drawn > 0 ? Math.round((count / drawn) * total) : 0
}
