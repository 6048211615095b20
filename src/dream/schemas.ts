import Type, { type Static } from 'typebox'
import { closed } from '../http/shapes.ts'
import { stepNames } from './steps.ts'

export const DreamOptions = closed({
  steps: Type.Optional(
    Type.Array(Type.Enum([...stepNames]), {
      minItems: 1,
      uniqueItems: true,
      description: 'Of `dream`: only these, in their own order. Default: all.',
    }),
  ),
})
export type DreamOptions = Static<typeof DreamOptions>
