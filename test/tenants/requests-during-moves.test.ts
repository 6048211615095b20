import { PassThrough } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { createTenantDirectory } from '../../src/tenants/index.ts'
import { type Body, fact } from '../support/requests/record-requests.ts'
import { createTenant, startTenantApp, type TenantClient } from '../support/requests/tenant-requests.ts'
import {
  copyTenantDatabase,
  createTenantDatabase,
  type TenantDatabase,
} from '../support/servers/tenant-databases.ts'
import { rootKey } from '../support/test-app.ts'

const app = await startTenantApp()
const first = await createTenantDatabase()
const second = await createTenantDatabase()
const tenant = await createTenant(app, 'moving', first.url)
afterAll(async () => {
  await app.close()
  await first.drop()
  await second.drop()
})

const decide = (action: string, more: object = {}) =>
  app.request('POST', `/v1/tenants/moving/${action}`, {
    body: { actor: 'desk', rationale: 'asked', ...more },
  })

async function move(from: TenantDatabase, to: TenantDatabase): Promise<void> {
  await copyTenantDatabase(from, to)
  expect((await decide('move', { database_url: to.url })).status).toBe(200)
}

/** Sends a request whose body the test writes piece by piece. */
function open(path: string, headers: Record<string, string>) {
  const body = new PassThrough()
  const answer = fetch(new URL(path, app.url), {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit)
  return { body, read: async () => (await answer).text() }
}

const openImport = (headers: Record<string, string>) =>
  open('/v1/import', { 'content-type': 'application/x-ndjson', ...headers })

/** More lines than one transaction of an import stores. */
const lines = (count: number) => `${JSON.stringify(fact({ scope: 'team' }))}\n`.repeat(count)

async function issueKey({ request }: TenantClient) {
  const body = { name: 'slow', permissions: ['records:write'] }
  const { id, secret } = (await request('POST', '/v1/keys', { body })).body as Body
  const isUsed = async () => ((await request('GET', `/v1/keys/${id}`)).body as Body).last_used_at !== null
  return { secret, isUsed }
}

async function countRecords(): Promise<number> {
  const { schema } = (await app.request('GET', '/v1/tenants/moving')).body as Body
  const [counted] = await first.run(`select count(*)::int as n from "${schema}".records`)
  return counted?.rows[0]?.n
}

describe('a request that began before its tenant was moved', () => {
  it('stores nothing where the tenant no longer is', async () => {
    const slow = await issueKey(tenant)
    const create = open('/v1/records', {
      'content-type': 'application/json',
      authorization: `Bearer ${slow.secret}`,
    })
    const record = JSON.stringify(fact({ scope: 'team' }))
    create.body.write(record.slice(0, 20))
    await expect.poll(slow.isUsed).toBe(true)
    const imports = [
      openImport({ authorization: `Bearer ${tenant.secret}` }),
      openImport({ authorization: `Bearer ${rootKey}`, 'membrane-tenant': 'moving' }),
    ]
    for (const { body } of imports) body.write(lines(201))
    await expect.poll(countRecords).toBe(400)
    await decide('suspend')
    await move(first, second)
    await decide('resume')
    create.body.end(record.slice(20))
    for (const { body } of imports) body.end(lines(1))
    const moved = { code: 'not_ready', status: 503 }
    expect(JSON.parse(await create.read())).toMatchObject(moved)
    for (const { read } of imports) {
      const report = (await read()).trim().split('\n')
      expect(report).toHaveLength(201)
      expect(JSON.parse(report.at(-1) ?? '')).toMatchObject({ problem: moved })
    }
    expect(await countRecords()).toBe(400)
  })
})

it('a process that has just looked a suspended tenant up notices its move at once', async () => {
  const { find } = openOtherProcess()
  await decide('suspend')
  const before = await find()
  await move(second, first)
  expect(await find()).not.toEqual(before)
})

/** Where another process finds the tenant, by its id and by the reference in its keys. */
function openOtherProcess() {
  const directory = createTenantDirectory({ db: app.db })
  const find = async () => {
    const row = await directory.get('moving')
    const ofKey = await directory.findByReference(row.reference)
    return [row.server_url, ofKey?.server_url]
  }
  return { find }
}
