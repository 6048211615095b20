import Type, { type Static } from 'typebox'
import { ref } from '../../domain/schema-ref.ts'
import { closed, Time, Uuid } from '../../domain/shapes.ts'
import { Via } from '../via.ts'

export const Erasure = closed(
  {
    actor: Type.String({ minLength: 1, maxLength: 256 }),
    rationale: Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: 'Stays in the audit log. Give the reason, and do not repeat the content.',
    }),
    cascade: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'false keeps the records that were derived from this record alone; needs the permission admin.',
      }),
    ),
    force: Type.Optional(
      Type.Boolean({
        description:
          'Erases a record whose deletion policy is `never`; needs `admin`. If a derived record has that policy and this key may not change it, the erase is refused with 409.',
      }),
    ),
  },
  {
    $id: 'Erasure',
    examples: [{ actor: 'privacy-desk', rationale: 'request 4711 of the person concerned' }],
  },
)
export type Erasure = Static<typeof Erasure>

const Count = () => Type.Integer({ minimum: 0 })

export const ErasureReceipt = closed(
  {
    id: Uuid(),
    erased_at: Time(),
    actor: Type.String(),
    via: Type.Optional(ref(Via)),
    removed: closed(
      {
        records: Type.Integer({
          minimum: 0,
          description: 'This record and the records derived from it alone.',
        }),
        relations: Count(),
        embeddings: Count(),
        access_rows: Count(),
      },
      { description: 'What was removed of the records that the key could read in full, and between them.' },
    ),
    derived_ids: Type.Array(Uuid(), {
      description: 'The records that were derived from it alone and are erased too.',
    }),
    kept: Type.Array(Uuid(), {
      description:
        'The records that also have other sources. They stay, without the evidence, the sources and the words that came from the erased records.',
    }),
    tombstone_ids: Type.Array(Uuid(), { description: 'Those that the key could list, if it had `admin`.' }),
  },
  { $id: 'ErasureReceipt' },
)
export type ErasureReceipt = Static<typeof ErasureReceipt>
