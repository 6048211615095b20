import type { Variables } from '../../../src/config/joint-problems.ts'
import { type Answer, type RequestOptions, startTestApp, type TestApp } from '../test-app.ts'
import type { Body } from './record-requests.ts'

export type TenantClient = {
  id: string
  secret: string
  /** Sends a request with the first admin key of the tenant. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
}

/** Starts the API with tenants switched on. */
export function startTenantApp(variables: Variables = {}): Promise<TestApp> {
  return startTestApp({
    variables: {
      MEMBRANE_TENANTS: 'on',
      MEMBRANE_TENANT_KEY: 'a-key-of-the-tests-of-servers',
      MEMBRANE_TOMBSTONE_KEY: 'a key of the tests of tenants',
      ...variables,
    },
  })
}

/** Creates a tenant and returns a client with its first key. With a URL it is on a server of its own. */
export async function createTenant(app: TestApp, id: string, url?: string): Promise<TenantClient> {
  const body = { id, ...(url === undefined ? {} : { database_url: url }) }
  const answer = await app.request('POST', '/v1/tenants', { body })
  if (answer.status !== 201) throw new Error(`no tenant was made: ${answer.text}`)
  const { secret } = (answer.body as Body).key
  return {
    id,
    secret,
    request: (method, path, options = {}) => app.request(method, path, { key: secret, ...options }),
  }
}

/** Drops a tenant and returns the answer. */
export function dropTenant(app: TestApp, id: string): Promise<Answer> {
  return app.request('DELETE', `/v1/tenants/${id}?actor=desk&rationale=asked`)
}

/** The reference of a tenant, and where its data are. */
export async function readPlace(app: TestApp, id: string) {
  return app.db
    .selectFrom('tenants')
    .select(['reference', 'server_url', 'status'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}
