import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { operations } from '../support/http/openapi-operations.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { createTenant, dropTenant, startTenantApp } from '../support/requests/tenant-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTenantApp()
const acme = await createTenant(app, 'acme')
afterAll(() => app.close())

const decision = { actor: 'desk', rationale: 'asked' }

async function listSchemas(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select nspname as name from pg_namespace where nspname like 't\\_%'
  `.execute(app.db)
  return rows.map(({ name }) => name)
}

describe('a tenant', () => {
  it('is created, changed and dropped with one answer each, as the log says', async () => {
    const lines = app.log.length
    await createTenant(app, 'logged')
    await app.request('POST', '/v1/tenants/logged/suspend', { body: decision })
    await dropTenant(app, 'logged')
    const written = app.log.slice(lines).map((line): Body => JSON.parse(line))
    expect(written.filter(({ level }) => level !== 'info')).toEqual([])
    expect(written.flatMap(({ msg, status }) => (msg === 'request' ? [status] : []))).toEqual([201, 200, 200])
  })

  it('gets an admin key that works in it alone', async () => {
    const other = await createTenant(app, 'globex')
    const { id } = await create(app, fact({ scope: 'team' }), { key: acme.secret })
    const path = `/v1/records/${id}`
    expect((await acme.request('GET', path)).status).toBe(200)
    expect((await other.request('GET', path)).status).toBe(404)
    expect((await app.request('GET', path)).status).toBe(404)
    expect((await app.request('GET', path, { headers: { 'membrane-tenant': 'acme' } })).status).toBe(200)
    // Another key cannot choose a tenant.
    const headers = { 'membrane-tenant': 'acme' }
    expect((await other.request('GET', path, { headers })).status).toBe(404)
  })

  it('issues its own keys, which contain nothing of its name', async () => {
    const body = { name: 'reader', permissions: ['records:read'] }
    const made = await acme.request('POST', '/v1/keys', { body })
    const { secret } = made.body as Body
    expect(secret).not.toContain('acme')
    expect((await app.request('GET', '/v1/records', { key: secret })).status).toBe(200)
    const listed = (await app.request('GET', '/v1/keys')).body as Body
    expect(listed.items.map(({ name }: Body) => name)).not.toContain('reader')
  })

  it('refuses its keys while it is suspended, and serves them again afterwards', async () => {
    const suspended = await app.request('POST', '/v1/tenants/acme/suspend', { body: decision })
    expect(suspended.body).toMatchObject({ id: 'acme', status: 'suspended' })
    const refused = await acme.request('GET', '/v1/records')
    expect([refused.status, (refused.body as Body).code]).toEqual([403, 'tenant_suspended'])
    const wrong = `${acme.secret.slice(0, -1)}${acme.secret.endsWith('A') ? 'B' : 'A'}`
    expect((await app.request('GET', '/v1/records', { key: wrong })).status).toBe(401)
    await app.request('POST', '/v1/tenants/acme/resume', { body: decision })
    expect((await acme.request('GET', '/v1/records')).status).toBe(200)
  })

  it('is refused at once although a request comes between the change and its commit', async () => {
    await sql`
      create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.5); return null; end';
      create constraint trigger slow after insert on tenant_events deferrable initially deferred
        for each row execute function slow()
    `.execute(app.db)
    try {
      const change = app.request('POST', '/v1/tenants/acme/suspend', { body: decision })
      let isDone = false
      const done = change.finally(() => (isDone = true))
      while (!isDone) await acme.request('GET', '/v1/records')
      expect((await done).status).toBe(200)
      expect((await acme.request('GET', '/v1/records')).status).toBe(403)
    } finally {
      await sql`drop trigger slow on tenant_events; drop function slow()`.execute(app.db)
      await app.request('POST', '/v1/tenants/acme/resume', { body: decision })
    }
  })

  it('is dropped with everything it has, and its keys get 401', async () => {
    const one = await createTenant(app, 'leaving')
    const before = await listSchemas()
    await create(app, fact({ scope: 'team' }), { key: one.secret })
    const dropped = await dropTenant(app, 'leaving')
    expect(dropped.status, dropped.text).toBe(200)
    expect(dropped.body).toMatchObject({ id: 'leaving', actor: 'desk', removed: { records: 1, keys: 1 } })
    expect((await one.request('GET', '/v1/records')).status).toBe(401)
    expect((await app.request('GET', '/v1/tenants/leaving')).status).toBe(404)
    expect((await dropTenant(app, 'leaving')).status).toBe(404)
    expect(await listSchemas()).toHaveLength(before.length - 1)
    const { rows } =
      await sql`select action, actor from tenant_events where tenant_id = 'leaving' order by action`.execute(
        app.db,
      )
    expect(rows).toEqual([
      { action: 'create', actor: 'root' },
      { action: 'drop', actor: 'desk' },
    ])
  })

  it('is another one when its id is used again: the old keys stay refused', async () => {
    const first = await createTenant(app, 'phoenix')
    await create(app, fact({ scope: 'team' }), { key: first.secret })
    await dropTenant(app, 'phoenix')
    const second = await createTenant(app, 'phoenix')
    expect((await first.request('GET', '/v1/records')).status).toBe(401)
    expect(((await second.request('GET', '/v1/records')).body as Body).items).toEqual([])
  })

  it('is exported with its forgotten records', async () => {
    const { id: kept } = await create(app, fact({ scope: 'moving' }), { key: acme.secret })
    const { id } = await create(app, fact({ scope: 'moving' }), { key: acme.secret })
    await acme.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`)
    const { status, body } = await app.request('GET', '/v1/tenants/acme/export')
    const moving = (body as Body[]).filter(({ scope }) => scope === 'moving')
    expect([status, moving.map((line) => line.id).sort()]).toEqual([200, [kept, id].sort()])
  })

  it('is created once, however many ask at the same time', async () => {
    const before = await listSchemas()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => app.request('POST', '/v1/tenants', { body: { id: 'requested' } })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect(await listSchemas()).toHaveLength(before.length + 1)
    const drops = await Promise.all(Array.from({ length: 3 }, () => dropTenant(app, 'requested')))
    expect(drops.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect(await listSchemas()).toHaveLength(before.length)
  })

  it('is created once under one Idempotency-Key, and the replay has no secret', async () => {
    const headers = { 'idempotency-key': 'tenant-1' }
    const ask = () => app.request('POST', '/v1/tenants', { body: { id: 'twice' }, headers })
    const first = await ask()
    const again = await ask()
    expect([first.status, again.status]).toEqual([201, 201])
    expect((first.body as Body).key.secret).toMatch(/^mbk_/)
    expect((again.body as Body).key.secret).toBeUndefined()
  })
})

describe('the routes of tenants', () => {
  it('need a key', async () => {
    for (const { method, path } of operations.filter((each) => each.path.startsWith('/v1/tenants'))) {
      const answer = await app.request(method, path.replace('{id}', 'acme'), { key: false })
      expect(answer.status, path).toBe(401)
    }
  })

  it('serve only the root key', async () => {
    for (const [method, path] of [
      ['GET', '/v1/tenants'],
      ['GET', '/v1/tenants/acme'],
      ['GET', '/v1/tenants/acme/export'],
      ['DELETE', '/v1/tenants/acme?actor=a&rationale=r'],
    ] as const)
      expect((await acme.request(method, path)).status, path).toBe(403)
    expect((await acme.request('POST', '/v1/tenants', { body: { id: 'mine' } })).status).toBe(403)
    const admin = await app.issueKey(['admin'], { max_sensitivity: 'hyper', source_type: 'human' })
    expect((await app.request('GET', '/v1/tenants', { key: admin })).status).toBe(403)
  })

  it('refuse ids that are no slug, and list the others by page', async () => {
    for (const id of ['public', 'pg_temp', 'Acme', 'a', '1st', 'a_b', 'x'.repeat(64), ''])
      expect((await app.request('POST', '/v1/tenants', { body: { id } })).status, id).toBe(422)
    const longest = `z${'x'.repeat(62)}`
    await createTenant(app, longest)
    const page = (await app.request('GET', '/v1/tenants?limit=1')).body as Body
    const next = (await app.request('GET', `/v1/tenants?limit=500&cursor=${page.next_cursor}`)).body as Body
    const ids = [...page.items, ...next.items].map(({ id }: Body) => id)
    expect(ids).toEqual([...ids].sort())
    expect(ids.at(-1)).toBe(longest)
    expect((await app.request('GET', `/v1/tenants/${longest}`)).body).toEqual(next.items.at(-1))
  })

  it('ignore the header that names a tenant', async () => {
    const headers = { 'membrane-tenant': 'nobody' }
    expect((await app.request('GET', '/v1/tenants', { headers })).status).toBe(200)
    const refused = await app.request('GET', '/v1/records/0197b9a0-0000-7000-8000-000000000001', { headers })
    expect([refused.status, (refused.body as Body).code]).toEqual([404, 'tenant_not_found'])
  })
})

describe('without tenants', () => {
  it('there is nothing at their path, and the header changes nothing', async () => {
    const plain = await startTestApp()
    try {
      for (const key of [undefined, false] as const) {
        const answer = await plain.request('GET', '/v1/tenants', key === undefined ? {} : { key })
        expect([answer.status, (answer.body as Body).code]).toEqual([404, 'route_not_found'])
      }
      const headers = { 'membrane-tenant': 'acme' }
      expect((await plain.request('GET', '/v1/records', { headers })).status).toBe(200)
    } finally {
      await plain.close()
    }
  })
})
