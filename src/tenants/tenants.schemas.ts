import Type, { type Static } from 'typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Time } from '../domain/schemas/shapes.ts'
import { IssuedKey } from '../keys/index.ts'

const why = {
  actor: Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'Who makes the change, for the log of the tenants.',
    examples: ['operations'],
  }),
  rationale: Type.String({
    minLength: 1,
    maxLength: 4_096,
    description: 'Why. It is stored in the log of the tenants.',
    examples: ['the contract has ended'],
  }),
}

const id = Type.String({
  pattern: '^(?!pg_|public$)[a-z][a-z0-9-]{1,62}$',
  description:
    'The id of the tenant: lower-case letters, digits and hyphens, beginning with a letter; not `public`.',
  examples: ['acme'],
})
const example = {
  id: 'acme',
  status: 'active',
  created_at: '2026-03-28T09:30:00.000Z',
  schema: 't_abcdefghijkl',
  migrated: true,
}
const url = 'postgres://membrane:secret@db-7.example:5432/acme'

const DatabaseUrl = (description: string) => Type.String({ maxLength: 2_048, description, examples: [url] })

const DatabasePlace = {
  host: Type.String({ examples: ['db-7.example'] }),
  port: Type.Integer({ examples: [5432] }),
  name: Type.String({ examples: ['acme'] }),
}

const properties = {
  id: Type.String(),
  status: Type.Enum(['creating', 'active', 'suspended', 'dropping'], {
    description:
      '`creating`: the creation on a server of its own is not finished; repeat the POST if you got no answer. `active`: it can be used. `suspended`: its keys get 403 and its jobs wait. `dropping`: its keys get 401; repeat the DELETE if you got no answer.',
  }),
  created_at: Time(),
  schema: Type.String({
    description: 'The PostgreSQL schema with the data of the tenant, for `pg_dump` and similar tools.',
  }),
  migrated: Type.Boolean({
    description:
      '`false`: the schema lacks migrations of this version, and every request to the tenant gets 503 `not_ready`. Workers migrate an active tenant within a minute; if they cannot, their log says why. `npm run migrate` also migrates a suspended one.',
  }),
  database: Type.Optional(
    closed(DatabasePlace, {
      description:
        'The database of the tenant, if it is on a server of its own. Absent for the main database. User and password are never shown.',
    }),
  ),
}

export const NewTenant = closed(
  {
    id,
    database_url: Type.Optional(
      DatabaseUrl(
        'The URL, with user and password, of a database on another server (PostgreSQL 15 or newer), where the schema of the tenant is created. Several tenants can have the same database. The URL is stored encrypted with `MEMBRANE_TENANT_KEY`. Its only parameter can be `sslmode`. Default: the main database.',
      ),
    ),
  },
  { $id: 'NewTenant', examples: [{ id: 'acme' }] },
)
export type NewTenant = Static<typeof NewTenant>

export const Tenant = closed(properties, { $id: 'Tenant', examples: [example] })
export type Tenant = Static<typeof Tenant>

export const CreatedTenant = closed(
  { ...properties, key: ref(IssuedKey) },
  { $id: 'CreatedTenant', description: 'The tenant and its first admin key.' },
)

export const TenantDecision = closed(why, {
  $id: 'TenantDecision',
  examples: [{ actor: 'operations', rationale: 'the invoice is overdue' }],
})
export type TenantDecision = Static<typeof TenantDecision>

export const TenantMove = closed(
  {
    database_url: Type.Union(
      [
        DatabaseUrl('As in `POST /v1/tenants`. The schema of the tenant must be there.'),
        Type.Null({ description: 'The main database.' }),
      ],
      { description: 'The database in which the data of the tenant are from now on.' },
    ),
    abandon: Type.Optional(
      Type.Boolean({
        description:
          'true: the database that the tenant leaves is lost, so the copy is not compared with it. Rows that the copy lacks are lost.',
      }),
    ),
    ...why,
  },
  {
    $id: 'TenantMove',
    examples: [{ database_url: url, actor: 'operations', rationale: 'it has outgrown the main server' }],
  },
)
export type TenantMove = Static<typeof TenantMove>

export const TenantReceipt = closed(
  {
    id: Type.String(),
    actor: Type.String(),
    dropped_at: Time(),
    removed: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description:
        'How many rows of each kind were removed. Empty if the data stay on a lost server, or if tables were missing.',
    }),
    left: Type.Optional(
      closed(
        { ...DatabasePlace, schema: Type.String() },
        { description: 'With `abandon`: where the data of the tenant still are.' },
      ),
    ),
  },
  {
    $id: 'TenantReceipt',
    examples: [
      {
        id: 'acme',
        actor: 'operations',
        dropped_at: '2026-03-28T09:30:00.000Z',
        removed: { records: 120, relations: 80, audit_entries: 200, runs: 4, keys: 2 },
      },
    ],
  },
)
export type TenantReceipt = Static<typeof TenantReceipt>

export const TenantPage = listOf(ref(Tenant), 'TenantPage')
export const TenantPath = closed({
  id: Type.String({ maxLength: 256, description: 'The id of the tenant.' }),
})
export const TenantsQuery = closed(pageParameters(50))
export type TenantsQuery = Static<typeof TenantsQuery>
export const TenantCursor = closed({ id: Type.String() })
export const DropQuery = closed({
  ...why,
  abandon: Type.Optional(
    Type.Boolean({
      description: 'Deletes the tenant here without touching its lost server. Its data on that server stay.',
    }),
  ),
})
export type DropQuery = Static<typeof DropQuery>
