import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { createTenant, dropTenant, startTenantApp } from '../support/requests/tenant-requests.ts'
import { createTenantDatabase } from '../support/servers/tenant-databases.ts'

const app = await startTenantApp()
const own = await createTenantDatabase()
afterAll(async () => {
  await app.close()
  await own.drop()
})

const ask = (id: string, url: string) =>
  app.request('POST', '/v1/tenants', { body: { id, database_url: url } })

/** Every transaction on the main server that writes down what was done to a tenant fails, as if the process ended. */
async function whileCrashing<T>(work: () => Promise<T>): Promise<T> {
  await app.db.transaction().execute(async (tx) => {
    await sql`
      create function refuse() returns trigger language plpgsql as 'begin raise ''a crash''; end'
    `.execute(tx)
    await sql`create trigger crash before insert on tenant_events execute function refuse()`.execute(tx)
  })
  return work().finally(() => sql`drop function refuse() cascade`.execute(app.db))
}

describe('a creation that ended between the two servers', () => {
  async function leaveUnfinished(id: string): Promise<Body> {
    expect((await whileCrashing(() => ask(id, own.url))).status).toBe(500)
    return (await app.request('GET', `/v1/tenants/${id}`)).body as Body
  }

  it('is finished by the same request', async () => {
    const { status, schema } = await leaveUnfinished('half-made')
    const before = await own.listSchemas()
    expect([status, before.includes(schema)]).toEqual(['creating', true])
    const headers = { 'membrane-tenant': 'half-made' }
    const hidden = await app.request('GET', '/v1/records/0197b9a0-0000-7000-8000-000000000001', { headers })
    expect((hidden.body as Body).code).toBe('tenant_not_found')
    const made = await createTenant(app, 'half-made', own.url)
    const [keys] = await own.run(`select count(*)::int as n from "${schema}".api_keys`)
    expect(keys?.rows).toEqual([{ n: 1 }])
    await create(app, fact({ scope: 'team' }), { key: made.secret })
    expect(await own.listSchemas()).toEqual(before)
  })

  it('is finished also when the server has nothing of it', async () => {
    const { schema } = await leaveUnfinished('unmade')
    await own.run(`drop schema "${schema}" cascade`)
    const made = await createTenant(app, 'unmade', own.url)
    await create(app, fact({ scope: 'team' }), { key: made.secret })
  })

  it('is not taken over by another request, and can be dropped', async () => {
    await leaveUnfinished('stuck')
    const before = await own.listSchemas()
    const other = own.url.replace('postgres://', 'postgresql://')
    for (const body of [{ id: 'stuck' }, { id: 'stuck', database_url: other }]) {
      const refused = await app.request('POST', '/v1/tenants', { body })
      expect([refused.status, (refused.body as Body).code]).toEqual([409, 'tenant_exists'])
    }
    expect((await dropTenant(app, 'stuck')).status).toBe(200)
    expect(await own.listSchemas()).toHaveLength(before.length - 1)
  })
})

describe('a drop on another server', () => {
  it('removes the schema there, and says how much it was', async () => {
    const one = await createTenant(app, 'leaving', own.url)
    await create(app, fact({ scope: 'team' }), { key: one.secret })
    const before = await own.listSchemas()
    const dropped = await dropTenant(app, 'leaving')
    expect(dropped.body).toMatchObject({ id: 'leaving', removed: { records: 1, keys: 1 } })
    expect(await own.listSchemas()).toHaveLength(before.length - 1)
    expect((await one.request('GET', '/v1/records')).status).toBe(401)
  })

  it('that ended after the schema was gone is finished, with the same receipt', async () => {
    const one = await createTenant(app, 'half-gone', own.url)
    await create(app, fact({ scope: 'team' }), { key: one.secret })
    const before = await own.listSchemas()
    expect((await whileCrashing(() => dropTenant(app, 'half-gone'))).status).toBe(500)
    expect(await own.listSchemas()).toHaveLength(before.length - 1)
    expect((await app.request('GET', '/v1/tenants/half-gone')).body).toMatchObject({ status: 'dropping' })
    expect((await one.request('GET', '/v1/records')).status).toBe(401)
    const dropped = await dropTenant(app, 'half-gone')
    expect([dropped.status, dropped.body]).toMatchObject([200, { removed: { records: 1, keys: 1 } }])
    expect((await dropTenant(app, 'half-gone')).status).toBe(404)
  })

  it('cannot abandon what is in the main database', async () => {
    await createTenant(app, 'near')
    const path = '/v1/tenants/near?actor=desk&rationale=asked&abandon=true'
    expect((await app.request('DELETE', path)).status).toBe(422)
    expect((await app.request('GET', '/v1/tenants/near')).body).toMatchObject({ status: 'active' })
  })
})
