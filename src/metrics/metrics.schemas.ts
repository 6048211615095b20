import Type, { type Static } from 'typebox'
import { closed, Time, Unit } from '../domain/shapes.ts'
import { RecordType } from '../domain/vocabulary.ts'

/** Lower to upper bound; the last band includes values above 1. */
export const salienceBands = ['0.0-0.2', '0.2-0.4', '0.4-0.6', '0.6-0.8', '0.8-1.0'] as const

const Count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) })

/** Null instead of 0 when there is nothing to compare with. */
const ShareOrNull = (description: string) => Type.Union([Unit(), Type.Null()], { description })

const counts = (names: readonly string[], description: string) =>
  closed(Object.fromEntries(names.map((name) => [name, Count()])), { description })

export const StoreMetrics = closed(
  {
    as_of: Time({ description: 'When the figures were computed; they are cached for five seconds.' }),
    is_sampled: Type.Boolean({
      description:
        'Whether the figures marked as sampled below come from a sample, because there are many records.',
    }),
    total_records: Count('Records that are not forgotten.'),
    records_by_type: counts(RecordType.enum, 'The number of records of each type.'),
    active_records: Count('Records with the status `active`.'),
    pinned_records: Count('Pinned records, which do not fade.'),
    avg_salience: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'Mean salience (sampled); null without records.',
    }),
    avg_confidence: ShareOrNull('Mean confidence (sampled); null without records.'),
    salience_distribution: counts(
      salienceBands,
      'Records by salience (sampled); the last band includes those above 1.',
    ),
    total_audit_entries: Count('Entries in the logs of these records (sampled).'),
    memory_growth_rate: ShareOrNull(
      'The share of records created in the last 24 hours; null without records.',
    ),
    retrieval_usefulness: ShareOrNull(
      'The share of accesses that used a record instead of only showing it (sampled); null without accesses.',
    ),
    competence_success_rate: ShareOrNull(
      'The share of uses of competences that succeeded (sampled); null when none was used.',
    ),
    plan_reuse_frequency: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'How often a plan was executed on average (sampled); null without plans.',
    }),
    revision_rate: ShareOrNull(
      'The share of records that a revision superseded, merged or invalidated; null without records.',
    ),
  },
  {
    $id: 'StoreMetrics',
    examples: [
      {
        ...{ as_of: '2026-03-28T09:30:00.000Z', is_sampled: false, total_records: 1_200 },
        records_by_type: {
          ...{ episodic: 700, working: 20, entity: 80 },
          ...{ semantic: 370, competence: 20, plan_graph: 10 },
        },
        ...{ active_records: 1_150, pinned_records: 12, avg_salience: 0.41, avg_confidence: 0.83 },
        salience_distribution: {
          ...{ '0.0-0.2': 400, '0.2-0.4': 250, '0.4-0.6': 200 },
          ...{ '0.6-0.8': 200, '0.8-1.0': 150 },
        },
        ...{ total_audit_entries: 3_400, memory_growth_rate: 0.02, retrieval_usefulness: 0.31 },
        ...{ competence_success_rate: 0.9, plan_reuse_frequency: 3.5, revision_rate: 0.04 },
      },
    ],
  },
)
export type StoreMetrics = Static<typeof StoreMetrics>
