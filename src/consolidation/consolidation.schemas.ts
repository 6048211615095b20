import Type, { type Static } from 'typebox'
import { closed } from '../domain/shapes.ts'
import { stageNames } from './stages.ts'

export const ConsolidationOptions = closed({
  stages: Type.Optional(
    Type.Array(Type.Enum([...stageNames]), {
      minItems: 1,
      uniqueItems: true,
      description: 'For `consolidate`: runs only these stages, in their usual order. Default: all.',
    }),
  ),
  ask_model: Type.Optional(
    Type.Boolean({
      description:
        'For `consolidate` and `dream`: a dry run asks the chat model as well, which costs as much as a real run. Default false.',
    }),
  ),
})
export type ConsolidationOptions = Static<typeof ConsolidationOptions>
