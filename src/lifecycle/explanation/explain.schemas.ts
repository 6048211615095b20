import Type, { type Static } from 'typebox'
import { closed, Time, TimeOrNull, Unit, Uuid } from '../../domain/schemas/shapes.ts'
import { worthParts } from '../../domain/worth/worth-parts.ts'

const Curve = Type.Enum(['exponential', 'linear', 'custom', 'huber', 'elastic'])
const Nonnegative = () => Type.Number({ minimum: 0 })

export const ForecastQuery = closed({
  points: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 24,
      description: 'Number of points, evenly spaced from now.',
    }),
  ),
})

export const Forecast = closed(
  {
    id: Uuid(),
    as_of: Time(),
    salience: Nonnegative(),
    points: Type.Array(closed({ at: Time(), salience: Nonnegative() })),
    crossings: closed({
      half: TimeOrNull('When half of the present salience is left; null for never.'),
      below_0_1: TimeOrNull('When the salience falls below 0.1, which may be in the past; null for never.'),
      pruned: TimeOrNull('When the record is due for pruning; null for never.'),
    }),
  },
  { $id: 'Forecast', description: 'Salience over time, if the record is neither used nor changed.' },
)
export type Forecast = Static<typeof Forecast>

const rules = ['pinned', 'max_age', 'floor', 'curve', 'revision'] as const

const Salience = closed({
  value: Nonnegative(),
  base_salience: Nonnegative(),
  anchored_at: Time(),
  elapsed_seconds: Nonnegative(),
  curve: Curve,
  half_life_seconds: Type.Integer({ minimum: 1 }),
  factor: Unit({ description: 'The share of `base_salience` that the curve leaves.' }),
  floor: Unit(),
  cap: Type.Union([Type.Number(), Type.Null()], {
    description: 'The highest salience that reinforcement reaches; null for no cap.',
  }),
  rule: Type.Enum([...rules], { description: 'The rule that gives the value.' }),
})

const Factor = closed({ value: Unit(), weight: Unit(), contribution: Unit() })
const Importance = closed({
  value: Unit(),
  base_importance: Unit(),
  factors: closed({
    base: Factor,
    access: Factor,
    recency: Factor,
    valence: Factor,
    stability: Factor,
    layer: Factor,
    trust: Factor,
    confirmations: Factor,
    activation: Factor,
  }),
})

const Retention = closed({
  value: Unit({ description: 'The retention score: how well the record is kept since its last use.' }),
  mode: Type.Enum(['l2', 'huber', 'elastic'], { description: 'The curve of the score.' }),
  half_life_days: Type.Union([Type.Number(), Type.Null()], {
    description: 'Shorter for a less trusted source; null for layers that never fade.',
  }),
  days_since_access: Nonnegative(),
  base: Unit(),
  bonus: Unit(),
})

const Keeping = closed(
  {
    value: Nonnegative(),
    importance: Unit(),
    base_importance: Unit(),
    uses: Type.Integer({
      minimum: 0,
      description:
        'Accesses that were reported, such as reinforcements. That an answer had the record does not count.',
    }),
    salience: Nonnegative(),
  },
  {
    description:
      'What decides which records a budget keeps: ((importance + 3 × base_importance) / 4 + 0.4 × used) × salience^(1/32), ' +
      'where `used` is min(1, ln(1 + uses) / ln(6)) × min(1, salience). The records with the lowest value are forgotten first. `importance` is the stored one, which a job refreshes.',
  },
)

const Removal = closed({
  at: Time(),
  reason: Type.String(),
  rule: Type.Enum([...rules, 'deletion', 'archival', 'erasure', 'budget']),
  actor: Type.String(),
  run_id: Type.Union([Uuid(), Type.Null()]),
  numbers: closed(
    {
      salience: Nonnegative(),
      base_salience: Nonnegative(),
      elapsed_seconds: Nonnegative(),
      factor: Unit(),
      floor: Unit(),
      keeping: Type.Optional(
        Type.Number({ minimum: 0, description: 'Only for a record that a budget has forgotten.' }),
      ),
      retention: Type.Optional(
        Unit({ description: 'Only for an archived record. Archival needs less than 0.15.' }),
      ),
      importance: Type.Optional(
        Unit({ description: 'Only for an archived record. Archival needs less than 0.3.' }),
      ),
      accesses: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Only for an archived record. Archival needs less than 3.' }),
      ),
      age_days: Type.Optional(
        Type.Number({
          minimum: 0,
          description: 'Only for an archived record: its age by `created_at`. Archival needs more than 90.',
        }),
      ),
    },
    { description: 'The values at the moment of the removal.' },
  ),
  restore: closed({
    possible: Type.Boolean(),
    until: Type.Optional(Time()),
    call: Type.Optional(Type.String()),
    salience: Type.Optional(Nonnegative()),
  }),
})

const Worth = closed(
  {
    value: Unit({ description: 'The base importance as it was judged. Surprise can change it afterwards.' }),
    parts: Type.Array(
      closed({
        name: Type.Enum([...worthParts]),
        value: Type.Number({ minimum: -1, maximum: 1 }),
        weight: Type.Number(),
        contribution: Type.Number({ description: '`value × weight`.' }),
      }),
    ),
    learned: Type.Boolean({ description: 'Whether the weights were fitted to the uses of this store.' }),
  },
  {
    description:
      'How the base importance was estimated from the content. The value rises with the sum of the contributions. Absent if the client sent an importance, and for purged and erased records.',
  },
)

const Surprise = closed(
  {
    at: Time(),
    score: Unit({ description: '0: repeats what was known; 1: unlike anything known.' }),
    delta: Type.Number({
      minimum: -1,
      maximum: 1,
      description:
        'The change of the base importance, which stays between 0.05 and 1. 0 for a record that was pinned.',
    }),
    base_before: Unit(),
    neighbours: Type.Array(closed({ id: Uuid(), similarity: Type.Number({ minimum: -1, maximum: 1 }) }), {
      maxItems: 5,
      description: 'Up to five nearest records that still exist and that the key can read in full.',
    }),
    duplicate_of: Type.Optional(Uuid()),
  },
  {
    description:
      'How new the record was when its first vector was stored. Absent before that, and for purged and erased records.',
  },
)

export const Explanation = closed(
  {
    id: Uuid(),
    state: Type.Enum(['live', 'forgotten', 'erased', 'purged']),
    salience: Salience,
    importance: Importance,
    retention: Retention,
    worth: Type.Optional(Worth),
    keeping: Keeping,
    surprise: Type.Optional(Surprise),
    prune_at: TimeOrNull('When the record is due for pruning; null for never.'),
    removal: Type.Optional(Removal),
  },
  {
    $id: 'Explanation',
    description: 'Every number that decides what happens to a record, without any of its content.',
  },
)
export type Explanation = Static<typeof Explanation>
