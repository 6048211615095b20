import Type, { type Static } from 'typebox'
import { AskModel } from '../domain/schemas/request-fields.ts'
import { closed } from '../domain/schemas/shapes.ts'
import { stepNames } from './steps.ts'

export const DreamOptions = closed({
  steps: Type.Optional(
    Type.Array(Type.Enum([...stepNames]), {
      minItems: 1,
      uniqueItems: true,
      description: 'For `dream`: runs only these steps, in their usual order. Default: all.',
    }),
  ),
  ask_model: Type.Optional(AskModel()),
})
export type DreamOptions = Static<typeof DreamOptions>
