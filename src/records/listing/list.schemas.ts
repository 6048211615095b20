import Type from 'typebox'
import { closed, pageParameters, Time } from '../../domain/shapes.ts'
import { Layer, MemoryKind, RecordType, Sensitivity, Status } from '../../domain/vocabulary.ts'
import { RecordPage } from '../records.schemas.ts'

const optional = Type.Optional
const salience = () => Type.Number({ minimum: 0 })

export const ListQuery = closed({
  type: optional(RecordType),
  scope: optional(Type.String({ minLength: 1, maxLength: 256 })),
  tag: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      maxItems: 100,
      description: 'The record must have all of these tags.',
    }),
  ),
  sensitivity: optional(Sensitivity),
  layer: optional(Layer),
  memory_kind: optional(MemoryKind),
  status: optional(Status),
  pinned: optional(Type.Boolean()),
  min_salience: optional(salience()),
  max_salience: optional(salience()),
  created_after: optional(Time()),
  created_before: optional(Time()),
  updated_after: optional(
    Time({
      description:
        'Only records changed after this time. Pass `next_updated_after` of the answer in the next request.',
    }),
  ),
  q: optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description:
        'Full-text search. Use quotes for a phrase, `or` between alternatives, and a leading minus to exclude a word.',
    }),
  ),
  include_forgotten: optional(Type.Boolean()),
  sort: optional(Type.Enum(['salience', 'importance', 'created_at', 'updated_at'], { default: 'salience' })),
  order: optional(Type.Enum(['asc', 'desc'], { default: 'desc' })),
  ...pageParameters(50),
})

export const AuditQuery = closed(pageParameters(100))

export const RecordListing = closed(
  {
    ...RecordPage.properties,
    next_updated_after: Type.Optional(
      Time({
        description:
          'The value of `updated_after` for the next poll. Present if this request had one, and the same on every page. ' +
          'A client that uses it misses no change but can see a change more than once.',
      }),
    ),
  },
  { $id: 'RecordListing' },
)
