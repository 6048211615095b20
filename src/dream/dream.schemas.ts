import Type, { type Static } from 'typebox'
import { closed } from '../domain/shapes.ts'
import { stepNames } from './steps.ts'

export const DreamOptions = closed({
  steps: Type.Optional(
    Type.Array(Type.Enum([...stepNames]), {
      minItems: 1,
      uniqueItems: true,
      description: 'Of `dream`: only these, in their own order. Default: all.',
    }),
  ),
  ask_model: Type.Optional(
    Type.Boolean({
      description:
        'Of `consolidate` and `dream`: whether a dry run asks the chat model too, which costs as much as a run.',
    }),
  ),
})
export type DreamOptions = Static<typeof DreamOptions>
