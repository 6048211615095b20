import Type, { type Static } from 'typebox'
import { Scope } from '../../domain/schemas/request-fields.ts'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { Count, closed, Uuid } from '../../domain/schemas/shapes.ts'

export const DriftQuery = closed(
  {
    scope: Type.Optional(Scope('Only records of this scope.')),
  },
  { $id: 'DriftQuery', examples: [{}] },
)
export type DriftQuery = Static<typeof DriftQuery>

const DriftItem = closed(
  {
    record_id: Uuid(),
    kind: Type.Enum(['path', 'symbol', 'script']),
    reference: Type.String({ description: 'The path, symbol or script as the record writes it.' }),
    found: Type.Optional(
      Type.Boolean({ description: 'Whether the reference exists. Absent if it could not be checked.' }),
    ),
  },
  { $id: 'DriftItem' },
)
export type DriftItem = Static<typeof DriftItem>

/** The most items of a report. */
export const maxItems = 500

export const DriftReport = closed(
  {
    checked: Count('Number of records with at least one reference.'),
    found: Count('Number of references that exist.'),
    missing: Count('Number of references that do not exist.'),
    unknown: Count('Number of references that could not be checked.'),
    score: Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'The percentage of found references among found and missing ones; 100 if there are none.',
    }),
    complete: Type.Boolean({
      description: 'false if there are more records than one request checks (10,000).',
    }),
    items: Type.Array(ref(DriftItem), {
      maxItems,
      description:
        'Missing references first, then unknown ones, then found ones. Empty for a key without `records:read`.',
    }),
  },
  {
    $id: 'DriftReport',
    examples: [
      {
        checked: 12,
        found: 19,
        missing: 1,
        unknown: 0,
        score: 95,
        complete: true,
        items: [
          {
            record_id: '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11',
            kind: 'path',
            reference: 'src/server.ts',
            found: false,
          },
        ],
      },
    ],
  },
)
export type DriftReport = Static<typeof DriftReport>
