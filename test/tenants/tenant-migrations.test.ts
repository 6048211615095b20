import { sql } from 'kysely'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import { nameSchema } from '../../src/db/schema-names.ts'
import { visitStatement } from '../../src/db/tenant-sessions.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { prepareDatabase } from '../../src/roles/store-preparation.ts'
import { createTenantJobs } from '../../src/roles/tenants/tenant-jobs.ts'
import type { Body } from '../support/requests/record-requests.ts'
import {
  createTenant,
  readPlace,
  startTenantApp,
  type TenantClient,
} from '../support/requests/tenant-requests.ts'
import { administer } from '../support/servers/postgres-processes.ts'
import { silentAnnouncements } from '../support/workers/silent-announcements.ts'

let lines: string[]
const app = await startTenantApp({ MEMBRANE_STATEMENT_TIMEOUT: '1500ms' })
afterAll(() => app.close())
beforeEach(() => {
  lines = []
})

const openLog = () =>
  createLogger({ level: 'info', clock: app.clock, write: (line) => void lines.push(line) })
const findLines = (message: string) =>
  lines.map((line): Body => JSON.parse(line)).filter(({ msg }) => msg === message)

const readStatus = async ({ request }: TenantClient) => (await request('GET', '/v1/records')).status

/** As after an update that brought a migration. */
async function undoNewestMigration(id: string): Promise<string> {
  const schema = nameSchema((await readPlace(app, id)).reference)
  const [name = '', newest] = Object.entries(migrations).at(-1) ?? []
  await app.db.transaction().execute(async (tx) => {
    await sql.raw(visitStatement(schema)).execute(tx)
    await newest?.down?.(tx)
    await sql`delete from kysely_migration where name = ${name}`.execute(tx)
  })
  await app.db.updateTable('tenants').set({ migration: '0000' }).where('id', '=', id).execute()
  return schema
}

it('a tenant that cannot be migrated stops no start and no other tenant, and a worker tries it again', async () => {
  const tenants = [await createTenant(app, 'broken'), await createTenant(app, 'sound')] as const
  const [broken, sound] = tenants
  const schema = await undoNewestMigration('broken')
  await undoNewestMigration('sound')
  // A name that the migration takes, as an operator may have left one.
  await administer(
    app.database.url,
    `alter function "${schema}".clear_erased() rename to clear_erased_before`,
    `create function "${schema}".clear_erased() returns int language sql as 'select 1'`,
  )
  await prepareDatabase(app.database, openLog(), app.config)
  expect(findLines('a tenant was not migrated').map(({ tenant }) => tenant)).toEqual(['broken'])
  expect(findLines('some tenants get 503 until a worker has migrated them')).toMatchObject([
    { level: 'error', migrated: 1, failed: 1 },
  ])
  await expect.poll(() => readStatus(sound)).toBe(200)
  expect((await broken.request('GET', '/v1/records')).body).toMatchObject({ code: 'not_ready' })

  await administer(
    app.database.url,
    `drop function "${schema}".clear_erased()`,
    `alter function "${schema}".clear_erased_before() rename to clear_erased`,
  )
  const { clock, ids, config, database: connection } = app
  const announcements = silentAnnouncements
  const polls = createTenantJobs({
    config,
    clock,
    ids,
    log: openLog(),
    connection,
    announcements,
  }).startPolls()
  try {
    await expect.poll(() => readStatus(broken)).toBe(200)
    await expect.poll(() => findLines('run ended').map(({ tenant }) => tenant)).toContain('broken')
  } finally {
    await polls.stop()
  }
  expect(findLines('a tenant is up to date')).toMatchObject([{ tenant: 'broken' }])
})

it('a migration of a large tenant takes longer than a statement of a request may', async () => {
  const large = await createTenant(app, 'large')
  await undoNewestMigration('large')
  await administer(
    app.database.url,
    `create function slow() returns event_trigger language plpgsql as 'begin perform pg_sleep(2); end'`,
    `create event trigger slow on ddl_command_start when tag in ('CREATE FUNCTION') execute function slow()`,
  )
  try {
    await prepareDatabase(app.database, openLog(), app.config)
  } finally {
    await administer(app.database.url, 'drop event trigger slow', 'drop function slow()')
  }
  expect(findLines('a tenant was not migrated')).toEqual([])
  await expect.poll(() => readStatus(large)).toBe(200)
})

it('a tenant that lacks migrations is listed as such, and every request to it gets 503', async () => {
  const tenant = await createTenant(app, 'outdated')
  const read = async () => (await app.request('GET', '/v1/tenants/outdated')).body
  expect(await read()).toMatchObject({ migrated: true })
  const schema = await undoNewestMigration('outdated')
  // A migration that is missing may be one of the table of keys.
  await administer(app.database.url, `alter table "${schema}".api_keys rename to former_keys`)
  expect(await read()).toMatchObject({ status: 'active', migrated: false })
  expect((await app.request('GET', '/v1/tenants?limit=500')).body).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ id: 'outdated', migrated: false })]),
  })
  const headers = { 'membrane-tenant': 'outdated' }
  await expect.poll(() => readStatus(tenant)).toBe(503)
  for (const answer of [
    await tenant.request('GET', '/v1/records'),
    await app.request('GET', '/v1/records', { headers }),
    await app.request('GET', '/v1/tenants/outdated/export'),
  ]) {
    expect(answer).toMatchObject({ status: 503, body: { code: 'not_ready' } })
    expect(answer.headers.get('retry-after')).toBe('5')
  }
  await administer(app.database.url, `alter table "${schema}".former_keys rename to api_keys`)
})
