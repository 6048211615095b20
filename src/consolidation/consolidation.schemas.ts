import Type, { type Static } from 'typebox'
import { closed } from '../domain/shapes.ts'
import { stageNames } from './stages.ts'

export const ConsolidationOptions = closed({
  stages: Type.Optional(
    Type.Array(Type.Enum([...stageNames]), {
      minItems: 1,
      uniqueItems: true,
      description: 'Of `consolidate`: only these, in their own order. Default: all.',
    }),
  ),
  ask_model: Type.Optional(
    Type.Boolean({
      description:
        'Of `consolidate` and `dream`: whether a dry run asks the chat model too, which costs as much as a run.',
    }),
  ),
})
export type ConsolidationOptions = Static<typeof ConsolidationOptions>
