import Type, { type Static } from 'typebox'
import { ref } from '../schemas/schema-ref.ts'
import { closed, Time, Unit } from '../schemas/shapes.ts'
import type { RecordType } from '../schemas/vocabulary.ts'
import { maxSalience } from './curves.ts'

export const DeletionPolicy = Type.Enum(['auto_prune', 'manual_only', 'never'])

const Pinned = () => Type.Boolean({ description: 'A pinned record neither fades nor is pruned.' })
export const ChosenDeletionPolicy = () =>
  Type.Enum([...DeletionPolicy.enum], {
    description:
      '`auto_prune`: jobs may forget the record. `manual_only`: only a request may. `never`: no request may either, except an erase with `force`.',
  })

/** About 3,000 years. Every deadline that is computed from it stays within the calendar. */
export const maxDecaySeconds = 1e11

export const Decay = closed(
  {
    curve: Type.Enum(['exponential', 'linear', 'custom', 'huber', 'elastic'], {
      description:
        'How the salience falls. `exponential`, and `custom` in the same way: by half in each half-life. `linear`: to 0 in one half-life. `huber`: exponential for half a half-life, then a straight line. `elastic`: 30% straight to 0 in two half-lives, the rest exponential.',
    }),
    half_life_seconds: Type.Integer({
      minimum: 1,
      maximum: maxDecaySeconds,
      description: 'Seconds after which half of the salience is left on the exponential curve.',
    }),
    min_salience: Unit({
      description: 'The floor: fading and penalties do not lower the salience below it.',
    }),
    max_age_seconds: Type.Integer({
      minimum: 0,
      maximum: maxDecaySeconds,
      description: 'Seconds from the creation after which the salience is 0; 0 means no maximum age.',
    }),
    reinforcement_gain: Type.Number({
      minimum: 0,
      maximum: maxSalience,
      description: 'What each reinforcement adds to the salience.',
    }),
    max_salience: Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: maxSalience }), Type.Null()], {
      description:
        'The highest salience that reinforcement reaches. Null means 1,000, the highest possible salience.',
    }),
  },
  { $id: 'Decay', description: 'How the salience of a record falls, and how it rises again.' },
)
export type Decay = Static<typeof Decay>

export const Lifecycle = closed(
  {
    decay: ref(Decay),
    last_reinforced_at: Time({
      description: 'When the record was last reinforced; at first when it was created.',
    }),
    pinned: Pinned(),
    deletion_policy: ChosenDeletionPolicy(),
  },
  { $id: 'Lifecycle' },
)

export type TypePolicy = Pick<Static<typeof Lifecycle>, 'decay' | 'deletion_policy'>
/** The lifecycle of a new record of each type, where the client does not set one. */
export type Policies = Readonly<Record<RecordType, TypePolicy>>

/** `Type.Partial` alone would drop `additionalProperties: false`, and a misspelt field would be ignored. */
const PartialDecay = closed(Type.Partial(Decay).properties, {
  description: 'How the salience falls and rises.',
})
const LifecycleChoices = {
  decay: Type.Optional(PartialDecay),
  pinned: Type.Optional(Pinned()),
  deletion_policy: Type.Optional(ChosenDeletionPolicy()),
}
export const NewLifecycle = closed(
  {
    ...LifecycleChoices,
    last_reinforced_at: Type.Optional(
      Time({ description: 'The time from which the salience fades; not in the future. Default: now.' }),
    ),
  },
  {
    $id: 'NewLifecycle',
    description: 'Fields that are absent are taken from the lifecycle policy of the record type.',
  },
)
