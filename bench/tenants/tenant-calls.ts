import { assert } from '../load.ts'
import type { Running } from '../processes.ts'

export const environment = { MEMBRANE_API_KEY: 'root-key-of-the-benchmarks', MEMBRANE_TENANTS: 'on' }

export type Tenant = { id: string; key: string; schema: string }

export async function createTenant({ url }: Running, id: string): Promise<Tenant> {
  const answer = await post(url, '/v1/tenants', environment.MEMBRANE_API_KEY, { id })
  assert(answer.status === 201, `creating was answered ${answer.status}`)
  const created = (await answer.json()) as { schema: string; key: { secret: string } }
  return { id, key: created.key.secret, schema: created.schema }
}

export function post(url: string, path: string, key: string, body: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
