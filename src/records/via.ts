import Type, { type Static } from 'typebox'
import { closed } from '../domain/shapes.ts'

const ViaKey = {
  key_id: Type.String({ description: 'The id of the key, `root` or `anonymous`.' }),
  key_name: Type.String(),
}

export const Via = closed(
  {
    key_id: Type.Optional(ViaKey.key_id),
    key_name: Type.Optional(ViaKey.key_name),
    imported_by: Type.Optional(
      closed(ViaKey, {
        description:
          'The key that imported the entry. The rest of the entry is then what the line said of it.',
      }),
    ),
  },
  {
    $id: 'Via',
    description:
      'The key behind the entry, which the service notes itself: `actor` is what the caller says. Absent for a job of the service, and for what was written before the service noted it.',
    examples: [{ key_id: '01981b7e-0000-7000-8000-000000000001', key_name: 'agent' }],
  },
)
export type Via = Static<typeof Via>

/** Only the service writes it. Absent where no key was behind: a job, or a release that did not note the key. */
export function presentVia(via: unknown): { via?: Via } {
  return via === null ? {} : { via: via as Via }
}
