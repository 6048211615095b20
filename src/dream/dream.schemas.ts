import Type, { type Static } from 'typebox'
import { closed } from '../domain/shapes.ts'
import { stepNames } from './steps.ts'

export const DreamOptions = closed({
  steps: Type.Optional(
    Type.Array(Type.Enum([...stepNames]), {
      minItems: 1,
      uniqueItems: true,
      description: 'For `dream`: runs only these steps, in their usual order. Default: all.',
    }),
  ),
  ask_model: Type.Optional(
    Type.Boolean({
      description:
        'For `consolidate` and `dream`: a dry run asks the chat model as well, which costs as much as a real run. Default false.',
    }),
  ),
})
export type DreamOptions = Static<typeof DreamOptions>
