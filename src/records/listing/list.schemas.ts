import Type from 'typebox'
import { MaskSecrets, Scope, TypeOf } from '../../domain/schemas/request-fields.ts'
import { closed, pageParameters, Time } from '../../domain/schemas/shapes.ts'
import { Layer, MemoryKind, Sensitivity, Status } from '../../domain/schemas/vocabulary.ts'
import { RecordPage } from '../records.schemas.ts'

const optional = Type.Optional
const salience = (description: string) => Type.Number({ minimum: 0, description })
const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Enum([...values], { description })

export const ListQuery = closed({
  type: optional(TypeOf('Only records of this type.')),
  scope: optional(Scope('Only records of this scope. Records without a scope are left out.')),
  tag: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      maxItems: 100,
      description: 'Only records with all of these tags: repeat the parameter for each tag.',
    }),
  ),
  sensitivity: optional(oneOf(Sensitivity.enum, 'Only records of exactly this sensitivity.')),
  layer: optional(oneOf(Layer.enum, 'Only records in this layer.')),
  memory_kind: optional(oneOf(MemoryKind.enum, 'Only records of this kind.')),
  status: optional(oneOf(Status.enum, 'Only records with this status.')),
  pinned: optional(Type.Boolean({ description: 'true: only pinned records. false: only others.' })),
  min_salience: optional(salience('Only records with at least this salience.')),
  max_salience: optional(salience('Only records with at most this salience.')),
  created_after: optional(Time({ description: 'Only records created after this time.' })),
  created_before: optional(Time({ description: 'Only records created before this time.' })),
  updated_after: optional(
    Time({
      description:
        'Only records that changed after this time. Pass `next_updated_after` of the answer in the next request.',
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
  include_forgotten: optional(
    Type.Boolean({ description: 'Also list forgotten records that can still be restored.' }),
  ),
  mask_secrets: MaskSecrets(),
  sort: optional(
    Type.Enum(['salience', 'importance', 'created_at', 'updated_at'], {
      default: 'salience',
      description: 'The field by which the records are sorted.',
    }),
  ),
  order: optional(
    Type.Enum(['asc', 'desc'], {
      default: 'desc',
      description: '`desc`: the highest or newest first. `asc`: the lowest or oldest first.',
    }),
  ),
  ...pageParameters(50),
})

export const RecordListing = closed(
  {
    ...RecordPage.properties,
    next_updated_after: Type.Optional(
      Time({
        description:
          'The `updated_after` of the next poll. Present if this request had one; the same on every page. ' +
          'A client that uses it misses no change, but may see a change more than once.',
      }),
    ),
  },
  { $id: 'RecordListing' },
)
