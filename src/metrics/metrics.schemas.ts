import Type, { type Static } from 'typebox'
import { closed, Time, Unit } from '../domain/schemas/shapes.ts'
import { Layer, RecordType, Status } from '../domain/schemas/vocabulary.ts'

/** Lower to upper bound; the last band includes values above 1. */
export const scoreBands = ['0.0-0.2', '0.2-0.4', '0.4-0.6', '0.6-0.8', '0.8-1.0'] as const

const Count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) })

const Rates = (description: string) => Type.Record(Type.String(), Unit(), { description })

/** Null instead of 0 when there is nothing to compare with. */
const ShareOrNull = (description: string) => Type.Union([Unit(), Type.Null()], { description })

const counts = (names: readonly string[], description: string) =>
  closed(Object.fromEntries(names.map((name) => [name, Count()])), { description })

const Days = (description: string) => Type.Array(closed({ from: Time(), records: Count() }), { description })

export const StoreMetrics = closed(
  {
    as_of: Time({ description: 'When the figures were computed. They are cached for five seconds.' }),
    is_sampled: Type.Boolean({
      description:
        'Whether the figures that are marked as sampled come from a sample, because there are many records.',
    }),
    total_records: Count('Records that are not forgotten.'),
    records_by_type: counts(RecordType.enum, 'The number of records of each type.'),
    records_by_layer: counts(Layer.enum, 'The number of records in each layer.'),
    records_by_status: counts(Status.enum, 'The number of records with each status.'),
    active_records: Count('Records with the status `active`.'),
    pinned_records: Count('Pinned records, which do not fade.'),
    avg_salience: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'Mean salience (sampled); null without records.',
    }),
    avg_confidence: ShareOrNull('Mean confidence (sampled); null without records.'),
    salience_distribution: counts(
      scoreBands,
      'Records by salience (sampled); the last band includes those above 1.',
    ),
    importance_distribution: counts(scoreBands, 'Records by importance (sampled).'),
    created_by_day: Days(
      'Records created in each of the last 30 periods of 24 hours; the last one ends now.',
    ),
    fading_by_day: Days(
      'Active and challenged records that fade away in each of the next 7 periods of 24 hours, if nothing happens to them. Records that are due already are in the first period.',
    ),
    total_audit_entries: Count('Entries in the audit logs of these records (sampled).'),
    memory_growth_rate: ShareOrNull(
      'The share of records created in the last 24 hours; null without records.',
    ),
    retrieval_usefulness: ShareOrNull(
      'The share of the accesses that used a record; the others only returned it in an answer (sampled). null without accesses.',
    ),
    competence_success_rate: ShareOrNull(
      'The share of uses of competences that succeeded (sampled); null when none was used.',
    ),
    plan_reuse_frequency: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'How often a plan graph was executed on average (sampled); null without plan graphs.',
    }),
    revision_rate: ShareOrNull(
      'The share of records that a revision superseded, merged or invalidated; null without records.',
    ),
    regret: closed(
      {
        rate: Unit(),
        by_reason: Rates(
          'The share by the reason of the forgetting: `pruned`, `archived`, `budget`, `deleted`.',
        ),
        by_type: Rates('The share by the type of the record.'),
        by_age: Rates(
          'The share by the age of the record when it was forgotten: `under_1d`, `1d_to_7d`, `7d_to_30d`, `30d_to_90d`, `over_90d`.',
        ),
      },
      {
        description:
          'The share of the forgotten records that would have been among the first ten records of an answer; 0 if nothing was forgotten. At most the last 100,000 records that are not purged yet are counted. `GET /v1/regrets` lists the regretted ones.',
      },
    ),
  },
  {
    $id: 'StoreMetrics',
    examples: [
      {
        as_of: '2026-03-28T09:30:00.000Z',
        is_sampled: false,
        total_records: 1_200,
        records_by_type: {
          episodic: 700,
          working: 20,
          entity: 80,
          semantic: 370,
          competence: 20,
          plan_graph: 10,
        },
        active_records: 1_150,
        pinned_records: 12,
        avg_salience: 0.41,
        avg_confidence: 0.83,
        salience_distribution: {
          '0.0-0.2': 400,
          '0.2-0.4': 250,
          '0.4-0.6': 200,
          '0.6-0.8': 200,
          '0.8-1.0': 150,
        },
        records_by_layer: { working: 20, episodic: 700, semantic: 450, procedural: 30, codebase: 0 },
        records_by_status: { active: 1_150, challenged: 2, invalidated: 8, merged: 10, superseded: 30 },
        importance_distribution: {
          '0.0-0.2': 100,
          '0.2-0.4': 450,
          '0.4-0.6': 400,
          '0.6-0.8': 200,
          '0.8-1.0': 50,
        },
        created_by_day: [{ from: '2026-03-27T09:30:00.000Z', records: 24 }],
        fading_by_day: [{ from: '2026-03-28T09:30:00.000Z', records: 6 }],
        total_audit_entries: 3_400,
        memory_growth_rate: 0.02,
        retrieval_usefulness: 0.31,
        competence_success_rate: 0.9,
        plan_reuse_frequency: 3.5,
        revision_rate: 0.04,
        regret: {
          rate: 0.03,
          by_reason: { pruned: 0.04, deleted: 0.01 },
          by_type: { episodic: 0.03 },
          by_age: { '7d_to_30d': 0.05, '30d_to_90d': 0.02 },
        },
      },
    ],
  },
)
export type StoreMetrics = Static<typeof StoreMetrics>
