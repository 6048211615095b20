import Type, { type Static } from 'typebox'
import { Actor } from '../../domain/schemas/request-fields.ts'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { Count, closed, Time, Uuid } from '../../domain/schemas/shapes.ts'
import { Via } from '../via.ts'

export const Erasure = closed(
  {
    actor: Actor(),
    rationale: Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: 'Stays in the audit log. Give the reason, and do not repeat the content.',
    }),
    cascade: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'false keeps the records that were derived from this record alone. Needs the permission admin.',
      }),
    ),
    force: Type.Optional(
      Type.Boolean({
        description:
          'Erases the record even if its deletion policy is `never`. Needs the permission admin. If a derived record has that policy and this key may not change it, the erase is refused with 409.',
      }),
    ),
  },
  {
    $id: 'Erasure',
    examples: [{ actor: 'privacy-desk', rationale: 'request 4711 of the person concerned' }],
  },
)
export type Erasure = Static<typeof Erasure>

export const ErasureReceipt = closed(
  {
    id: Uuid(),
    erased_at: Time(),
    actor: Type.String(),
    via: Type.Optional(ref(Via)),
    removed: closed(
      {
        records: Count('How many records: this one and those derived from it alone.'),
        relations: Count('How many relations. A relation with an inverse counts as two.'),
        embeddings: Count('How many vectors.'),
        access_rows: Count('How many logged accesses.'),
      },
      { description: 'What was removed, counted over the records that the key could read in full.' },
    ),
    derived_ids: Type.Array(Uuid(), {
      description:
        'The records that are erased too, because all records that they were made from are erased.',
    }),
    kept: Type.Array(Uuid(), {
      description:
        'The records that have other sources as well. They stay, without the evidence, sources and words of the erased records.',
    }),
    tombstone_ids: Type.Array(Uuid(), {
      description:
        'Ids of the tombstones that this key could list with `admin`. Empty if the same content was erased before from a record that is hidden from the key.',
    }),
  },
  { $id: 'ErasureReceipt' },
)
export type ErasureReceipt = Static<typeof ErasureReceipt>
