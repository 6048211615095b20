import Type, { type Static } from 'typebox'
import { ChosenDeletionPolicy, Decay } from '../domain/lifecycle/lifecycle.ts'
import { TypeOf } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, listOf } from '../domain/schemas/shapes.ts'
import { RecordType } from '../domain/schemas/vocabulary.ts'

const example = {
  decay: {
    curve: 'exponential',
    half_life_seconds: 259_200,
    min_salience: 0,
    max_age_seconds: 0,
    reinforcement_gain: 0.1,
    max_salience: 1,
  },
  deletion_policy: 'auto_prune',
}

export const PolicyChoice = closed(
  { decay: ref(Decay), deletion_policy: ChosenDeletionPolicy() },
  {
    $id: 'PolicyChoice',
    description: 'The lifecycle of new records of a type.',
    examples: [example],
  },
)
export type PolicyChoice = Static<typeof PolicyChoice>

export const Policy = closed(
  { type: RecordType, ...PolicyChoice.properties },
  {
    $id: 'Policy',
    description: 'The lifecycle of new records of a type: how they fade, and whether they may be forgotten.',
  },
)
export type Policy = Static<typeof Policy>

export const PolicyPath = Type.Object({ type: TypeOf('The record type.') })
export const PolicyPage = listOf(ref(Policy), 'PolicyPage')
