import Type, { type Static } from 'typebox'
import { closed, Time, Unit } from '../domain/shapes.ts'
import { RecordType } from '../domain/vocabulary.ts'
import { salienceBands } from './salience-bands.ts'

const Count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) })

/** A share of nothing is not 0. */
const ShareOrNull = (description: string) => Type.Union([Unit(), Type.Null()], { description })

const counts = (names: readonly string[], description: string) =>
  closed(Object.fromEntries(names.map((name) => [name, Count()])), { description })

export const StoreMetrics = closed(
  {
    as_of: Time({ description: 'When this was computed; asked again within five seconds it is the same.' }),
    is_sampled: Type.Boolean({
      description: 'Whether what is marked so below was taken from a sample, because there are many records.',
    }),
    total_records: Count('Records that are not forgotten.'),
    records_by_type: counts(RecordType.enum, 'How many of each type.'),
    active_records: Count('Those of status `active`.'),
    pinned_records: Count('Those that do not fade.'),
    avg_salience: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'Mean of the salience (sampled); null without records.',
    }),
    avg_confidence: ShareOrNull('Mean of the confidence (sampled); null without records.'),
    salience_distribution: counts(
      salienceBands,
      'Records by salience (sampled); the last band has those above 1 too.',
    ),
    total_audit_entries: Count('Entries in the logs of these records (sampled).'),
    memory_growth_rate: ShareOrNull('The share of the records that was created in the last 24 hours.'),
    retrieval_usefulness: ShareOrNull(
      'Of all accesses, the share that used a record rather than only showing it (sampled); null without any.',
    ),
    competence_success_rate: ShareOrNull(
      'Of what competences were tried for, the share that went well (sampled); null when none was tried.',
    ),
    plan_reuse_frequency: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'How often a plan was carried out on average (sampled); null without plans.',
    }),
    revision_rate: ShareOrNull(
      'The share of the records kept that a revision replaced, merged or withdrew; null without records.',
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
