import Type, { type Static } from 'typebox'
import { AskModel } from '../domain/schemas/request-fields.ts'
import { closed } from '../domain/schemas/shapes.ts'
import { stageNames } from './stages.ts'

export const ConsolidationOptions = closed({
  stages: Type.Optional(
    Type.Array(Type.Enum([...stageNames]), {
      minItems: 1,
      uniqueItems: true,
      description: 'For `consolidate`: runs only these stages, in their usual order. Default: all.',
    }),
  ),
  ask_model: Type.Optional(AskModel()),
})
export type ConsolidationOptions = Static<typeof ConsolidationOptions>
