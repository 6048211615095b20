import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/connection.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { createTenant, dropTenant, readPlace, startTenantApp } from '../support/requests/tenant-requests.ts'
import { createTenantDatabase } from '../support/servers/tenant-databases.ts'

const app = await startTenantApp()
const own = await createTenantDatabase()
const distant = await createTenant(app, 'distant', own.url)
afterAll(async () => {
  await app.close()
  await own.drop()
})

const ask = (id: string, url: string, headers = {}) =>
  app.request('POST', '/v1/tenants', { body: { id, database_url: url }, headers })

/** The tables of the main database in which a text stands. */
async function findText(db: Database, text: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
  `.execute(db)
  const found = tables.map(async ({ name }) => {
    const { rows } = await sql`
      select 1 from ${sql.id(name)} as r where position(${text} in r::text) > 0 limit 1
    `.execute(db)
    return rows.length > 0 ? [name] : []
  })
  return (await Promise.all(found)).flat()
}

describe('a tenant on a server of its own', () => {
  it('has all its data there, and only its row in the main database', async () => {
    const { id } = await create(app, fact({ scope: 'team' }), { key: distant.secret })
    expect((await distant.request('GET', `/v1/records/${id}`)).status).toBe(200)
    const shown = (await app.request('GET', '/v1/tenants/distant')).body as Body
    const { hostname: host, port } = new URL(own.url)
    expect(shown.database).toEqual({ host, port: Number(port), name: own.name })
    expect(await own.listSchemas()).toContain(shown.schema)
    const [counted] = await own.run(`select count(*)::int as n from "${shown.schema}".records`)
    expect(counted?.rows).toEqual([{ n: 1 }])
    const { rows } = await sql`select 1 from pg_namespace where nspname = ${shown.schema}`.execute(app.db)
    expect(rows).toEqual([])
    const named = await app.request('GET', `/v1/records/${id}`, { headers: { 'membrane-tenant': 'distant' } })
    expect(named.status).toBe(200)
    expect((await app.request('GET', `/v1/records/${id}`)).status).toBe(404)
    const exported = await app.request('GET', '/v1/tenants/distant/export')
    expect((exported.body as Body[]).map((line) => line.id)).toEqual([id])
  })

  it('shows its password nowhere', async () => {
    const headers = { 'idempotency-key': 'secret-1' }
    const sent = [await ask('secretive', own.url, headers), await ask('secretive', own.url, headers)]
    const wrong = `${own.url}&more`
    const answers = [
      ...sent,
      await ask('secretive', own.url),
      await ask('wrong-one', wrong),
      await ask('Wrong One', own.url),
      await ask('wrong-two', own.url.replace(own.name, 'no_such_database')),
      await app.request('GET', '/v1/tenants'),
      await app.request('GET', '/v1/tenants/secretive'),
      await app.request('GET', '/v1/tenants/secretive/export'),
      await dropTenant(app, 'secretive'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 409, 422, 422, 422, 200, 200, 200, 200])
    for (const { text } of answers) expect(text).not.toContain(own.password)
    expect(app.log.join('')).not.toContain(own.password)
    expect(await findText(app.db, own.password)).toEqual([])
    expect(await findText(app.db, own.name)).toContain('tenants')
  })

  it('is refused when its URL is incomplete or names more, and leaves nothing', async () => {
    const { host, username } = new URL(own.url)
    const base = `postgres://${username}:x@${host}/${own.name}`
    const wrong = [
      ['', 'not blank'],
      ['http://user:x@host/name', 'another scheme'],
      [`postgres://${host}/${own.name}`, 'no user'],
      [`postgres://${username}@${host}/${own.name}`, 'no password'],
      [`postgres://${username}:x@${host}`, 'no database'],
      [`postgres://${username}:x@%2Ftmp/${own.name}`, 'a socket'],
      [`postgres://${username}:x@one,two/${own.name}`, 'two hosts'],
      [`${base}?sslrootcert=/etc/passwd`, 'a file'],
      [`${base}?host=elsewhere`, 'another host'],
      [`${base}?options=-csearch_path%3Dpublic`, 'settings'],
      [`${base}?sslmode=disable&sslmode=disable`, 'a parameter twice'],
      [`${base}#fragment`, 'a fragment'],
      [`${base}%00`, 'a zero byte'],
    ] as const
    for (const [url, what] of wrong) {
      const { status, body } = await ask('refused', url)
      expect([status, (body as Body).errors?.[0]?.pointer], what).toEqual([422, '/database_url'])
    }
    expect((await app.request('GET', '/v1/tenants/refused')).status).toBe(404)
  })

  it('is refused with 503 while nothing answers at the URL, and leaves nothing', async () => {
    const url = new URL(own.url)
    url.port = '1'
    const { status, headers, body } = await ask('nowhere', url.href)
    expect([status, (body as Body).code]).toEqual([503, 'database_unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await app.request('GET', '/v1/tenants/nowhere')).status).toBe(404)
  })

  it('is created once, however many ask at the same time', async () => {
    const before = await own.listSchemas()
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask('requested', own.url)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect(await own.listSchemas()).toHaveLength(before.length + 1)
    const [made] = answers.filter(({ status }) => status === 201)
    const key = ((made?.body ?? {}) as Body).key?.secret
    expect((await app.request('GET', '/v1/records', { key })).status).toBe(200)
    const drops = await Promise.all(Array.from({ length: 3 }, () => dropTenant(app, 'requested')))
    expect(drops.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect(await own.listSchemas()).toEqual(before)
  })

  it('answers writes with a position of its database', async () => {
    const body = fact({ scope: 'team' })
    const written = await distant.request('POST', '/v1/records', { body })
    const position = written.headers.get('membrane-position') ?? ''
    const ofMain = (await app.request('POST', '/v1/records', { body })).headers.get('membrane-position') ?? ''
    expect(position).toMatch(/^p1\./)
    for (const each of [position, ofMain]) {
      const headers = { 'membrane-position': each }
      expect((await distant.request('GET', '/v1/records', { headers })).status).toBe(200)
      expect((await app.request('GET', '/v1/records', { headers })).status).toBe(200)
    }
    const refused = await distant.request('GET', '/v1/records', { headers: { 'membrane-position': 'p1.x' } })
    expect(refused.status).toBe(400)
  })

  it('has no services when its URL was stored for another tenant or with another key', async () => {
    const one = await createTenant(app, 'swapped', own.url)
    const { server_url } = await readPlace(app, 'distant')
    await app.db.updateTable('tenants').set({ server_url }).where('id', '=', 'swapped').execute()
    await expect
      .poll(async () => {
        const { status, body } = await one.request('GET', '/v1/records')
        return [status, (body as Body).code]
      })
      .toEqual([503, 'not_ready'])
    expect((await distant.request('GET', '/v1/records')).status).toBe(200)
  })
})

describe('without MEMBRANE_TENANT_KEY', () => {
  it('there are only tenants in the main database', async () => {
    const keyless = await startTenantApp({ MEMBRANE_TENANT_KEY: '' })
    try {
      const body = { id: 'distant', database_url: own.url }
      const refused = await keyless.request('POST', '/v1/tenants', { body })
      expect([refused.status, (refused.body as Body).code]).toEqual([503, 'tenant_key_missing'])
      expect(refused.text).not.toContain(own.password)
      await createTenant(keyless, 'near')
    } finally {
      await keyless.close()
    }
  })
})
