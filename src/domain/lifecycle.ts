import Type, { type Static } from 'typebox'
import { maxSalience } from './curves.ts'
import { ref } from './schema-ref.ts'
import { closed, Time, Unit } from './shapes.ts'
import type { RecordType } from './vocabulary.ts'

export const Curve = Type.Enum(['exponential', 'linear', 'custom', 'huber', 'elastic'])
export const DeletionPolicy = Type.Enum(['auto_prune', 'manual_only', 'never'])

/** About 3,000 years. Every deadline that is computed from it stays within the calendar. */
const maxSeconds = 1e11

export const Decay = closed(
  {
    curve: Curve,
    half_life_seconds: Type.Integer({ minimum: 1, maximum: maxSeconds }),
    min_salience: Unit(),
    max_age_seconds: Type.Integer({
      minimum: 0,
      maximum: maxSeconds,
      description: '0 means no maximum age.',
    }),
    reinforcement_gain: Type.Number({ minimum: 0, maximum: maxSalience }),
    max_salience: Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: maxSalience }), Type.Null()], {
      description:
        'The highest salience that reinforcement reaches. Null means 1,000, the highest possible salience.',
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
/** The lifecycle of a new record of each type, where the client does not set one. */
export type Policies = Readonly<Record<RecordType, TypePolicy>>

/** `Type.Partial` alone would drop `additionalProperties: false`, and a misspelt field would be ignored. */
const PartialDecay = closed(Type.Partial(Decay).properties)
const LifecycleChoices = {
  decay: Type.Optional(PartialDecay),
  pinned: Type.Optional(Type.Boolean()),
  deletion_policy: Type.Optional(DeletionPolicy),
}
export const NewLifecycle = closed(
  {
    ...LifecycleChoices,
    last_reinforced_at: Type.Optional(Time({ description: 'Must not be in the future.' })),
  },
  {
    $id: 'NewLifecycle',
    description: 'Fields that are absent are taken from the lifecycle policy of the record type.',
  },
)
