import Type, { type Static } from 'typebox'
import { closed, Time, Unit, Uuid } from '../domain/shapes.ts'

const orNull = (description: string) => Type.Union([Time(), Type.Null()], { description })
const Curve = Type.Enum(['exponential', 'linear', 'custom', 'huber', 'elastic'])
const Nonnegative = () => Type.Number({ minimum: 0 })

export const InsightPath = Type.Object({ id: Uuid() })
export const ForecastQuery = closed({
  points: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 24,
      description: 'How many, evenly spaced from now.',
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
      half: orNull('When half of what there is now is left; null for never.'),
      below_0_1: orNull('When it leaves the 0.1 mark, which may lie behind; null for never.'),
      pruned: orNull('When it is due for pruning; null for never.'),
    }),
  },
  { $id: 'Forecast', description: 'Salience over time, if nobody touches the record.' },
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
  factor: Unit({ description: 'What the curve has left of the base.' }),
  floor: Unit(),
  cap: Type.Union([Type.Number(), Type.Null()], { description: 'Of reinforcement; null for none.' }),
  rule: Type.Enum([...rules], { description: 'Which rule decides the value.' }),
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
  value: Unit(),
  mode: Type.Enum(['l2', 'huber', 'elastic']),
  half_life_days: Type.Union([Type.Number(), Type.Null()], {
    description: 'Weighed by the trust in the source; null for layers that never fade.',
  }),
  days_since_access: Nonnegative(),
  base: Unit(),
  bonus: Unit(),
})

const Removal = closed({
  at: Time(),
  reason: Type.String(),
  rule: Type.Enum([...rules, 'deletion', 'archival', 'erasure']),
  actor: Type.String(),
  run_id: Type.Union([Uuid(), Type.Null()]),
  numbers: closed(
    {
      salience: Nonnegative(),
      base_salience: Nonnegative(),
      elapsed_seconds: Nonnegative(),
      factor: Unit(),
      floor: Unit(),
      retention: Type.Optional(Unit({ description: 'Of what was archived: below 0.15.' })),
      importance: Type.Optional(Unit({ description: 'Of what was archived: below 0.3.' })),
      accesses: Type.Optional(Type.Integer({ minimum: 0, description: 'Of what was archived: below 3.' })),
      age_days: Type.Optional(Type.Number({ minimum: 0, description: 'Of what was archived: above 90.' })),
    },
    { description: 'As of the moment it went.' },
  ),
  restore: closed({
    possible: Type.Boolean(),
    until: Type.Optional(Time()),
    call: Type.Optional(Type.String()),
    salience: Type.Optional(Nonnegative()),
  }),
})

const Surprise = closed(
  {
    at: Time(),
    score: Unit({ description: '0: like all that was known; 1: like nothing.' }),
    delta: Type.Number({
      minimum: -1,
      maximum: 1,
      description: 'What base importance was moved by, within 0.05 and 1; 0 for a record that was pinned.',
    }),
    base_before: Unit(),
    neighbours: Type.Array(closed({ id: Uuid(), similarity: Type.Number({ minimum: -1, maximum: 1 }) }), {
      maxItems: 5,
      description: 'Those of the five that are still there and that the key sees whole.',
    }),
    duplicate_of: Type.Optional(Uuid()),
  },
  { description: 'What was found when the first vector came; not there before, and not of what is no more.' },
)

export const Explanation = closed(
  {
    id: Uuid(),
    state: Type.Enum(['live', 'forgotten', 'erased', 'purged']),
    salience: Salience,
    importance: Importance,
    retention: Retention,
    surprise: Type.Optional(Surprise),
    prune_at: orNull('From then on it is due for pruning; null for never.'),
    removal: Type.Optional(Removal),
  },
  {
    $id: 'Explanation',
    description: 'Every number behind what a record has come to, and none of its content.',
  },
)
export type Explanation = Static<typeof Explanation>
