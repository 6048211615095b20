import Type, { type Static } from 'typebox'
import { ChosenScope, NewSensitivity, NewSourceType, Tags } from '../../domain/schemas/request-fields.ts'
import { closed, Time } from '../../domain/schemas/shapes.ts'

export const TextNote = closed(
  {
    text: Type.String({
      minLength: 1,
      maxLength: 100_000,
      pattern: '\\S',
      description: 'What to remember, in plain words.',
    }),
    about: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_024,
        pattern: '\\S',
        description:
          'What the text is about. Default: the first known entity that the text names, or the scope if the text names none.',
      }),
    ),
    scope: Type.Optional(ChosenScope('The scope of the record.')),
    tags: Type.Optional(Tags('Tags of the record.')),
    occurred_at: Type.Optional(
      Time({
        description:
          'When it happened: the time of the evidence of the stored fact. `created_at` of the record is always the time of the call. Must not be in the future. Default: now.',
      }),
    ),
    sensitivity: Type.Optional(NewSensitivity()),
    source_type: Type.Optional(NewSourceType()),
  },
  {
    $id: 'TextNote',
    examples: [
      { text: 'The staging database moves to Frankfurt in June.', about: 'staging', tags: ['infra'] },
    ],
  },
)
export type TextNote = Static<typeof TextNote>
