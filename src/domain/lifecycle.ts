import Type, { type Static } from 'typebox'
import { maxSalience } from './curves.ts'
import { ref } from './schema-ref.ts'
import { closed, Time, Unit } from './shapes.ts'
import type { RecordType } from './vocabulary.ts'

export const Curve = Type.Enum(['exponential', 'linear', 'custom', 'huber', 'elastic'])
export const DeletionPolicy = Type.Enum(['auto_prune', 'manual_only', 'never'])

/** Three thousand years: beyond any use, and no deadline computed from it leaves the calendar. */
const maxSeconds = 1e11

export const Decay = closed(
  {
    curve: Curve,
    half_life_seconds: Type.Integer({ minimum: 1, maximum: maxSeconds }),
    min_salience: Unit(),
    max_age_seconds: Type.Integer({ minimum: 0, maximum: maxSeconds, description: '0 for none.' }),
    reinforcement_gain: Type.Number({ minimum: 0, maximum: maxSalience }),
    max_salience: Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: maxSalience }), Type.Null()], {
      description: 'The cap of reinforcement; null for 1,000, the most that a salience may be.',
    }),
  },
  { $id: 'Decay' },
)
export type Decay = Static<typeof Decay>

export const Lifecycle = closed(
  {
    decay: ref(Decay),
    last_reinforced_at: Time(),
    pinned: Type.Boolean(),
    deletion_policy: DeletionPolicy,
  },
  { $id: 'Lifecycle' },
)

export type TypePolicy = Pick<Static<typeof Lifecycle>, 'decay' | 'deletion_policy'>
/** What a record of each type gets where its client names nothing. */
export type Policies = Readonly<Record<RecordType, TypePolicy>>

/** Type.Partial alone would drop `additionalProperties: false`, and a misspelt field with it. */
const PartialDecay = closed(Type.Partial(Decay).properties)
const LifecycleChoices = {
  decay: Type.Optional(PartialDecay),
  pinned: Type.Optional(Type.Boolean()),
  deletion_policy: Type.Optional(DeletionPolicy),
}
export const NewLifecycle = closed(
  { ...LifecycleChoices, last_reinforced_at: Type.Optional(Time({ description: 'Not in the future.' })) },
  {
    $id: 'NewLifecycle',
    description: 'The lifecycle policy of the type fills in what is absent.',
  },
)
