import Type, { type Static } from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { closed, listOf, pageParameters, Time } from '../domain/shapes.ts'
import { IssuedKey } from '../keys/index.ts'

const Actor = () => Type.String({ minLength: 1, maxLength: 256, examples: ['operations'] })
const Rationale = () => Type.String({ minLength: 1, maxLength: 4_096, examples: ['the contract has ended'] })

const id = Type.String({
  pattern: '^(?!pg_|public$)[a-z][a-z0-9-]{1,62}$',
  description: 'Lower-case letters, digits and hyphens, beginning with a letter; not `public`.',
  examples: ['acme'],
})
const example = { id: 'acme', status: 'active', created_at: '2026-03-28T09:30:00.000Z' }

const properties = {
  id: Type.String(),
  status: Type.Enum(['active', 'suspended', 'dropping'], {
    description:
      '`suspended`: its keys get 403 and its jobs wait. `dropping`: its keys get 401; repeat the DELETE if it was not answered.',
  }),
  created_at: Time(),
}

export const NewTenant = closed({ id }, { $id: 'NewTenant', examples: [{ id: 'acme' }] })
export type NewTenant = Static<typeof NewTenant>

export const Tenant = closed(properties, { $id: 'Tenant', examples: [example] })
export type Tenant = Static<typeof Tenant>

export const CreatedTenant = closed(
  { ...properties, key: ref(IssuedKey) },
  { $id: 'CreatedTenant', description: 'The tenant, and the first admin key of it.' },
)

export const TenantDecision = closed(
  { actor: Actor(), rationale: Rationale() },
  { $id: 'TenantDecision', examples: [{ actor: 'operations', rationale: 'the invoice is overdue' }] },
)
export type TenantDecision = Static<typeof TenantDecision>

export const TenantReceipt = closed(
  {
    id: Type.String(),
    actor: Type.String(),
    dropped_at: Time(),
    removed: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'How many rows of each kind were removed.',
    }),
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
export const TenantPath = closed({ id: Type.String({ maxLength: 256 }) })
export const TenantsQuery = closed(pageParameters(50))
export type TenantsQuery = Static<typeof TenantsQuery>
export const TenantCursor = closed({ id: Type.String() })
export const DropQuery = closed({ actor: Actor(), rationale: Rationale() })
