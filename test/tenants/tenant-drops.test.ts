import { afterAll, expect, it, onTestFinished } from 'vitest'
import { nameSchema } from '../../src/db/schema-names.ts'
import { fullTrust } from '../../src/domain/trust/caller.ts'
import {
  createTenantDatabases,
  createTenantDirectory,
  createTenantsService,
} from '../../src/tenants/index.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { createTenant, dropTenant, readPlace, startTenantApp } from '../support/requests/tenant-requests.ts'
import { administer } from '../support/servers/postgres-processes.ts'

const app = await startTenantApp({ MEMBRANE_LOCK_TIMEOUT: '500ms', MEMBRANE_STATEMENT_TIMEOUT: '1500ms' })
afterAll(() => app.close())

const why = { actor: 'desk', rationale: 'asked' }
const readDetail = ({ body }: { body: unknown }): string => (body as Body).detail
const schemaOf = async (id: string) => nameSchema((await readPlace(app, id)).reference)

it('a drop removes the tenant that it began with, and none of the same id that was created since', async () => {
  const { clock, ids, config, database, db } = app
  const directory = createTenantDirectory({ db })
  const databases = createTenantDatabases({ connection: database, ids, key: undefined, ...config.records })
  const { dropping } = createTenantsService({ db, clock, ids, directory, databases })
  await createTenant(app, 'twice')
  const begun = await dropping.begin('twice', why)
  expect((await dropTenant(app, 'twice')).status).toBe(200)
  const second = await createTenant(app, 'twice')
  await create(app, fact({ scope: 'team' }), { key: second.secret })
  const caller = {
    principal: 'root',
    name: 'root',
    permissions: new Set([]),
    trust: fullTrust,
    sourceType: 'human',
  } as const
  await expect(dropping.finish({ caller }, begun, why)).rejects.toThrow('no tenant')
  expect(((await second.request('GET', '/v1/records')).body as Body).items).toHaveLength(1)
})

it('a drop that other transactions prevent says what stands, and so does every other request', async () => {
  await createTenant(app, 'read')
  const using = await app.database.pool.connect()
  onTestFinished(() => using.release(true))
  await using.query('begin')
  await using.query(`select from "${await schemaOf('read')}".records`)
  const prevented = await dropTenant(app, 'read')
  expect(prevented.status).toBe(503)
  expect(readDetail(prevented)).toBe(
    'The tenant is refused everywhere from now on, and its data are still stored: Other transactions still use them. Repeat the request later.',
  )
  const hint = 'It is being dropped: repeat the DELETE to finish it.'
  for (const path of ['/v1/tenants/read/suspend', '/v1/tenants/read/resume'])
    expect(readDetail(await app.request('POST', path, { body: why }))).toContain(hint)
  expect(readDetail(await app.request('GET', '/v1/tenants/read/export'))).toContain(hint)
  expect(readDetail(await app.request('POST', '/v1/tenants', { body: { id: 'read' } }))).toContain(hint)
  const headers = { 'membrane-tenant': 'read' }
  expect(readDetail(await app.request('GET', '/v1/records', { headers }))).toContain(hint)
  await using.query('rollback')
  expect((await dropTenant(app, 'read')).status).toBe(200)
})

it('a drop counts a large tenant for longer than a statement of a request may take', async () => {
  await createTenant(app, 'large')
  const schema = await schemaOf('large')
  await administer(
    app.database.url,
    `alter table "${schema}".lifecycle_policies rename to others`,
    `create view "${schema}".lifecycle_policies as select from (select pg_sleep(2)) as slow`,
  )
  expect((await dropTenant(app, 'large')).body).toMatchObject({ removed: { policies: 1 } })
})

it('a tenant whose schema or tables are gone can be dropped', async () => {
  await createTenant(app, 'torn')
  await administer(app.database.url, `drop table "${await schemaOf('torn')}".tombstones cascade`)
  await createTenant(app, 'lost')
  await administer(app.database.url, `drop schema "${await schemaOf('lost')}" cascade`)
  for (const id of ['torn', 'lost']) {
    expect((await dropTenant(app, id)).body).toMatchObject({ id, removed: {} })
    expect((await app.request('GET', `/v1/tenants/${id}`)).status).toBe(404)
  }
})
