import Type, { type Static } from 'typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Time, TimeOrNull, Uuid } from '../domain/schemas/shapes.ts'
import { permissions, sensitivities, sourceTypes } from '../domain/trust/caller.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The name of the key in audit entries and sources.',
})
const granted = Type.Array(Type.Enum([...permissions]), {
  minItems: 1,
  uniqueItems: true,
  description: 'What the key may do. `admin` includes every other permission.',
})
const scopes = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
  maxItems: 1_000,
  uniqueItems: true,
  description:
    'The scopes that the key can read and write. An empty list means all scopes. Every key can read records without a scope.',
})
const ceiling = Type.Enum([...sensitivities], {
  description: 'The ceiling of the key: the highest sensitivity that it can read in full.',
})
const source = Type.Enum([...sourceTypes], { description: 'The source type of records that the key writes.' })

const ownExample = {
  id: '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11',
  name: 'ingest-worker',
  permissions: ['records:read', 'records:write'],
  scopes: ['team-a'],
  max_sensitivity: 'medium',
  source_type: 'ingest',
  expires_at: null,
}
const example = { ...ownExample, created_at: '2026-03-28T09:30:00.000Z', last_used_at: null }

/** What a key learns of itself. */
const own = {
  id: Uuid(),
  name,
  permissions: granted,
  scopes,
  max_sensitivity: ceiling,
  source_type: source,
  expires_at: TimeOrNull('The key is refused from this time on; null means never.'),
}

const properties = {
  ...own,
  created_at: Time(),
  last_used_at: TimeOrNull('The last use, exact to the minute; null means never.'),
}

export const Key = closed(properties, { $id: 'Key', examples: [example] })
export type Key = Static<typeof Key>

export const OwnKey = closed(
  {
    ...own,
    id: Type.Union([Uuid(), Type.Null()], {
      description: 'null for the root key and for a request without a key.',
    }),
  },
  { $id: 'OwnKey', examples: [ownExample] },
)
export type OwnKey = Static<typeof OwnKey>

export const IssuedKey = closed(
  {
    ...properties,
    secret: Type.Optional(
      Type.String({
        description:
          'The secret that clients send. Shown only once and never stored. A replay of an Idempotency-Key does not ' +
          'contain it: if the first answer was lost, delete the key and create another.',
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
      Type.Enum([...sensitivities], {
        description:
          'The ceiling of the key: the highest sensitivity that it can read in full. Default `low`.',
      }),
    ),
    source_type: Type.Optional(
      Type.Enum([...sourceTypes], {
        description:
          'The source type of records that the key writes. Default: `ingest`, or the source type of the calling key if that is less trusted.',
      }),
    ),
    expires_at: Type.Optional(
      TimeOrNull(
        'The key is refused from this time on, which must be in the future. Default: when the calling key expires; null means never.',
      ),
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
export const KeyPath = Type.Object({
  id: Uuid({ missing: 'key_not_found', description: 'The id of the key.' }),
})
export const KeysQuery = closed(pageParameters(50))
export type KeysQuery = Static<typeof KeysQuery>
