import { type StoreMetrics, salienceBands } from './metrics.schemas.ts'
import type { CountRow, SampleRow } from './summary.queries.ts'

const types = ['episodic', 'working', 'entity', 'semantic', 'competence', 'plan_graph'] as const

const revised = new Set(['superseded', 'merged', 'invalidated'])

type SummaryCounts = { counts: readonly CountRow[]; fresh: number; sample: SampleRow }

/** Builds the summary. Counts are exact; figures from a sample are scaled to them. */
export function describeFigures(
  { counts, fresh, sample }: SummaryCounts,
  at: { asOf: Date; isSampled: boolean },
): StoreMetrics {
  const countOf = (isMeant: (row: CountRow) => boolean) =>
    counts.filter(isMeant).reduce((sum, { records }) => sum + records, 0)
  const total = countOf(() => true)
  const scaled = (count: number) => (at.isSampled ? scale(count, sample.records, total) : count)
  const tried = (sample.successes ?? 0) + (sample.failures ?? 0)
  return {
    as_of: at.asOf.toISOString(),
    is_sampled: at.isSampled,
    total_records: total,
    records_by_type: Object.fromEntries(types.map((type) => [type, countOf((row) => row.type === type)])),
    active_records: countOf(({ status }) => status === 'active'),
    pinned_records: countOf(({ pinned }) => pinned),
    avg_salience: ratio(sample.salience ?? 0, sample.records),
    avg_confidence: ratio(sample.confidence ?? 0, sample.records),
    salience_distribution: Object.fromEntries(
      salienceBands.map((band, place) => [band, scaled(sample.bands[place] ?? 0)]),
    ),
    total_audit_entries: scaled(sample.entries),
    // Counted a moment later, so it can be larger than the total.
    memory_growth_rate: ratio(Math.min(fresh, total), total),
    retrieval_usefulness: ratio((sample.accesses ?? 0) - (sample.served ?? 0), sample.accesses ?? 0),
    competence_success_rate: ratio(sample.successes ?? 0, tried),
    plan_reuse_frequency: ratio(sample.executions ?? 0, sample.plans),
    revision_rate: ratio(
      countOf(({ status }) => revised.has(status)),
      total,
    ),
  }
}

/** Null when there is nothing to compare with. */
function ratio(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null
}

function scale(count: number, drawn: number, total: number): number {
  return drawn > 0 ? Math.round((count / drawn) * total) : 0
}
