import Type, { type Static } from 'typebox'
import { ref } from '../../domain/schema-ref.ts'
import { closed, Uuid } from '../../domain/shapes.ts'

export const DriftQuery = closed(
  {
    scope: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'Only records of this scope.' }),
    ),
  },
  { $id: 'DriftQuery', examples: [{}] },
)
export type DriftQuery = Static<typeof DriftQuery>

const DriftItem = closed(
  {
    record_id: Uuid(),
    kind: Type.Enum(['path', 'symbol', 'script']),
    reference: Type.String({ description: 'As the record has it.' }),
    found: Type.Optional(Type.Boolean({ description: 'Absent where nobody can say.' })),
  },
  { $id: 'DriftItem' },
)
const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const DriftReport = closed(
  {
    checked: Count('Records that name something.'),
    found: Count('References that are there.'),
    missing: Count('References that are not.'),
    unknown: Count('References that could not be looked at.'),
    score: Type.Number({
      ...{ minimum: 0, maximum: 100 },
      description: 'Percentage of what is known that is there; 100 where nothing is.',
    }),
    complete: Type.Boolean({ description: 'Whether every record was looked at.' }),
    items: Type.Array(ref(DriftItem), {
      maxItems: 500,
      description: 'What is missing first, then what is unknown; empty for a key that may not read records.',
    }),
  },
  {
    $id: 'DriftReport',
    examples: [
      {
        ...{ checked: 12, found: 19, missing: 1, unknown: 0, score: 95, complete: true },
        items: [
          {
            ...{ record_id: '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11', kind: 'path' },
            ...{ reference: 'src/server.ts', found: false },
          },
        ],
      },
    ],
  },
)
export type DriftReport = Static<typeof DriftReport>
