import Type, { type Static } from 'typebox'
import { closed } from '../domain/schemas/shapes.ts'

const ViaKey = {
  key_id: Type.String({ description: 'The id of the key, `root` or `anonymous`.' }),
  key_name: Type.String({ description: 'The name of the key at that time.' }),
}

export const Via = closed(
  {
    key_id: Type.Optional(ViaKey.key_id),
    key_name: Type.Optional(ViaKey.key_name),
    imported_by: Type.Optional(
      closed(ViaKey, {
        description:
          'The key that imported the entry. All other members of the entry come from the imported line.',
      }),
    ),
  },
  {
    $id: 'Via',
    description:
      'The key that made the change, written by the service; `actor` is the name that the request gave. Absent if a job made the change by itself, and in entries of versions that did not store the key.',
    examples: [{ key_id: '01981b7e-0000-7000-8000-000000000001', key_name: 'agent' }],
  },
)
export type Via = Static<typeof Via>

/** Only the service writes `via`. It is absent if no key made the change, or if an earlier version did not store it. */
export function presentVia(via: unknown): { via?: Via } {
  return via === null ? {} : { via: via as Via }
}
