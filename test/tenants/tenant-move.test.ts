import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { until } from '../support/processes/processes.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import {
  createTenant,
  dropTenant,
  startTenantApp,
  type TenantClient,
} from '../support/requests/tenant-requests.ts'
import { administer } from '../support/servers/postgres-processes.ts'
import {
  copyTenantDatabase,
  createTenantDatabase,
  type TenantDatabase,
  withPassword,
} from '../support/servers/tenant-databases.ts'

const app = await startTenantApp({ MEMBRANE_LOCK_TIMEOUT: '1s' })
const first = await createTenantDatabase()
const second = await createTenantDatabase()
afterAll(async () => {
  await app.close()
  await first.drop()
  await second.drop()
})

const decision = { actor: 'desk', rationale: 'asked' }
const change = (id: string, action: 'suspend' | 'resume') =>
  app.request('POST', `/v1/tenants/${id}/${action}`, { body: decision })
const move = (id: string, url: string | null) =>
  app.request('POST', `/v1/tenants/${id}/move`, { body: { database_url: url, ...decision } })
const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as Body).code]

describe('a tenant that moves to another database', () => {
  it('must be suspended and copied with everything, and then works there with its keys', async () => {
    const one = await createTenant(app, 'growing', first.url)
    const { id } = await create(app, fact({ scope: 'team' }), { key: one.secret })
    expect(codeOf(await move('growing', second.url))).toEqual([422, 'validation_failed'])
    await copyTenantDatabase(first, second)
    expect(codeOf(await move('growing', second.url))).toEqual([409, 'tenant_not_suspended'])
    await create(app, fact({ scope: 'other' }), { key: one.secret })
    await change('growing', 'suspend')
    const differing = await move('growing', second.url)
    expect(codeOf(differing)).toEqual([409, 'tenant_copy_differs'])
    expect((differing.body as Body).differences.records).toEqual({ here: 2, there: 1 })
    await copyTenantDatabase(first, second)
    await second.run(`delete from "${await schemaOf(one)}".contents`)
    const hollow = await move('growing', second.url)
    expect(codeOf(hollow)).toEqual([409, 'tenant_copy_differs'])
    expect((hollow.body as Body).differences).toEqual({ contents: { here: 2, there: 0 } })
    await copyTenantDatabase(first, second)
    const moved = await move('growing', second.url)
    expect([moved.status, (moved.body as Body).database?.name]).toEqual([200, second.name])
    expect(moved.text).not.toContain(second.password)
    await change('growing', 'resume')
    expect((await one.request('GET', `/v1/records/${id}`)).status).toBe(200)
    await create(app, fact({ scope: 'third' }), { key: one.secret })
    expect(await countRecords(second, one)).toBe(3)
    expect(await countRecords(first, one)).toBe(2)
    const events = await app.db
      .selectFrom('tenant_events')
      .select('action')
      .where('tenant_id', '=', 'growing')
      .execute()
    expect(events.map(({ action }) => action).sort()).toEqual(['create', 'move', 'resume', 'suspend'])
    expect((await dropTenant(app, 'growing')).body).toMatchObject({ removed: { records: 3 } })
  })

  it('is compared with the database that it leaves, unless that is lost', async () => {
    await createTenant(app, 'late', first.url)
    await copyTenantDatabase(first, second)
    await change('late', 'suspend')
    const { schema } = (await app.request('GET', '/v1/tenants/late')).body as Body
    const busy = administer(first.url, `begin; lock "${schema}".api_keys; select pg_sleep(2.5); commit`)
    await expect.poll(() => isLocked(`"${schema}".api_keys`)).toBe(true)
    const late = await move('late', second.url)
    expect(codeOf(late)).toEqual([503, 'database_unavailable'])
    expect((late.body as Body).detail).toContain('abandon=true')
    await busy
    await second.run(`delete from "${schema}".api_keys`)
    expect(codeOf(await move('late', second.url))).toEqual([409, 'tenant_copy_differs'])
    const body = { database_url: second.url, abandon: true, ...decision }
    expect((await app.request('POST', '/v1/tenants/late/move', { body })).status).toBe(200)
    expect((await dropTenant(app, 'late')).status).toBe(200)
  })

  it('needs no suspension for a new password or name of the same database', async () => {
    const one = await createTenant(app, 'rotating', first.url)
    const headers = { 'idempotency-key': 'rotation-1' }
    const body = { database_url: first.url.replace('postgres://', 'postgresql://'), ...decision }
    const ask = () => app.request('POST', '/v1/tenants/rotating/move', { body, headers })
    const changed = await ask()
    const again = await ask()
    expect([changed.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    await create(app, fact({ scope: 'team' }), { key: one.secret })
    expect(codeOf(await move('rotating', null))).toEqual([422, 'validation_failed'])
    expect(codeOf(await move('nobody', null))).toEqual([404, 'tenant_not_found'])
    expect((await dropTenant(app, 'rotating')).status).toBe(200)
  })

  it('is copied by pg_dump as the documentation says, there and back', async ({ skip }) => {
    if (!(await canDump())) skip('there is no pg_dump as new as the server')
    const one = await createTenant(app, 'wandering')
    const { id } = await create(app, fact({ scope: 'team' }), { key: one.secret })
    const { schema } = (await app.request('GET', '/v1/tenants/wandering')).body as Body
    const main = withPassword(app.database.url)
    for (const [from, to, target] of [
      [main, first.url, first.url],
      [first.url, main, null],
    ] as const) {
      await change('wandering', 'suspend')
      await run(`pg_dump "$FROM" -n '${schema}' | psql "$TO" -v ON_ERROR_STOP=1 -q --single-transaction`, {
        FROM: from,
        TO: to,
      })
      const moved = await move('wandering', target)
      expect(moved.status, moved.text).toBe(200)
      await change('wandering', 'resume')
      await administer(from, `drop schema "${schema}" cascade`)
      expect((await one.request('GET', `/v1/records/${id}`)).status).toBe(200)
      await create(app, fact({ scope: 'team', tags: [to] }), { key: one.secret })
      const question = { task_descriptor: 'which record', root_limit: 5 }
      expect((await one.request('POST', '/v1/retrieve', { body: question })).status).toBe(200)
      await untilAccessIsLogged(to, schema)
    }
    expect((await dropTenant(app, 'wandering')).body).toMatchObject({ removed: { records: 3, keys: 1 } })
  })
})

/** An access is logged after the answer. A copy that is made before lacks it. */
function untilAccessIsLogged(url: string, schema: string) {
  const findRow = `select from "${schema}".access_log limit 1`
  return until('the access', async () => (await administer(url, findRow))[0]?.rowCount)
}

async function isLocked(table: string): Promise<boolean> {
  const [found] = await first.run(
    `select from pg_locks where relation = '${table}'::regclass and mode = 'AccessExclusiveLock' and granted`,
  )
  return found?.rowCount === 1
}

async function schemaOf({ id }: TenantClient): Promise<string> {
  return ((await app.request('GET', `/v1/tenants/${id}`)).body as Body).schema
}

async function countRecords(database: TenantDatabase, tenant: TenantClient): Promise<number> {
  const [counted] = await database.run(`select count(*)::int as n from "${await schemaOf(tenant)}".records`)
  return counted?.rows[0]?.n
}

async function run(command: string, variables: Record<string, string>): Promise<string> {
  const env = { ...process.env, ...variables }
  const { stdout } = await promisify(execFile)('bash', ['-o', 'pipefail', '-c', command], { env })
  return stdout
}

async function canDump(): Promise<boolean> {
  const version = await run('pg_dump --version && psql --version', {}).catch(() => '')
  const [found] = await first.run('show server_version_num')
  const newest = Number(/\(PostgreSQL\) (\d+)/.exec(version)?.[1] ?? 0)
  return newest * 10_000 + 9_999 >= Number(found?.rows[0]?.server_version_num)
}
