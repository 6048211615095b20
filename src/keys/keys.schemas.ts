import Type, { type Static } from 'typebox'
import { permissions, sensitivities, sourceTypes } from '../domain/caller.ts'
import { ref } from '../domain/schema-ref.ts'
import { closed, listOf, Time, Uuid } from '../domain/shapes.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'Names the key in audit entries and in sources.',
})
const granted = Type.Array(Type.Enum([...permissions]), { minItems: 1, uniqueItems: true })
const scopes = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
  maxItems: 1_000,
  uniqueItems: true,
  description: 'The scopes the key may see and write; none means all.',
})
const ceiling = Type.Enum([...sensitivities], { description: 'The most sensitive records the key may see.' })
const source = Type.Enum([...sourceTypes], { description: 'What its records are taken to come from.' })
const orNull = (description: string) => Type.Union([Time(), Type.Null()], { description })

const example = {
  id: '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11',
  name: 'ingest-worker',
  permissions: ['records:read', 'records:write'],
  scopes: ['team-a'],
  max_sensitivity: 'medium',
  source_type: 'ingest',
  expires_at: null,
  created_at: '2026-03-28T09:30:00.000Z',
  last_used_at: null,
}

const properties = {
  id: Uuid(),
  name,
  permissions: granted,
  scopes,
  max_sensitivity: ceiling,
  source_type: source,
  expires_at: orNull('From then on the key is refused; null for never.'),
  created_at: Time(),
  last_used_at: orNull('To the minute; null for never.'),
}

export const Key = closed(properties, { $id: 'Key', examples: [example] })
export type Key = Static<typeof Key>

export const IssuedKey = closed(
  {
    ...properties,
    secret: Type.Optional(
      Type.String({
        description:
          'The key itself, shown this once and never stored. Missing from the replay of an Idempotency-Key: ' +
          'when the first answer was lost, delete the key and make another.',
      }),
    ),
  },
  { $id: 'IssuedKey', examples: [{ ...example, secret: 'mbk_…' }] },
)
export type IssuedKey = Static<typeof IssuedKey>

export const NewKey = closed(
  {
    name,
    permissions: granted,
    scopes: Type.Optional(scopes),
    max_sensitivity: Type.Optional(
      Type.Enum([...sensitivities], { description: 'The most sensitive records it may see; default `low`.' }),
    ),
    source_type: Type.Optional(
      Type.Enum([...sourceTypes], {
        description:
          'Where its records come from. The default is `ingest`, or that of the calling key if it is less trusted.',
      }),
    ),
    expires_at: Type.Optional(
      orNull('In the future. The default is that of the calling key: never, unless that key expires.'),
    ),
  },
  {
    $id: 'NewKey',
    examples: [
      {
        name: 'ingest-worker',
        permissions: ['records:read', 'records:write'],
        scopes: ['team-a'],
        max_sensitivity: 'medium',
      },
    ],
  },
)
export type NewKey = Static<typeof NewKey>

export const KeyPage = listOf(ref(Key), 'KeyPage')
export const KeyPath = Type.Object({ id: Uuid({ missing: 'key_not_found' }) })
export const KeysQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'Default 50.' })),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
})
export const KeyCursor = closed({ created_at: Time(), id: Uuid() })
