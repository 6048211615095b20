import Type, { type Static } from 'typebox'
import { closed, Time } from '../domain/shapes.ts'
import { Sensitivity, SourceType } from '../domain/vocabulary.ts'

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
          'What the text is about. Default: the first known entity that the text names, else the scope.',
      }),
    ),
    scope: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 100 })),
    occurred_at: Type.Optional(
      Time({ description: 'When it happened. Must not be in the future. Default: now.' }),
    ),
    sensitivity: Type.Optional(Sensitivity),
    source_type: Type.Optional(SourceType),
  },
  {
    $id: 'TextNote',
    examples: [
      { text: 'The staging database moves to Frankfurt in June.', about: 'staging', tags: ['infra'] },
    ],
  },
)
export type TextNote = Static<typeof TextNote>
