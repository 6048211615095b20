import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { createTenant, dropTenant, startTenantApp } from '../support/requests/tenant-requests.ts'
import { citusUrl, distributeRows, findOnNodes } from '../support/servers/citus.ts'
import { administer, urlOf } from '../support/servers/postgres-processes.ts'
import { withPassword } from '../support/servers/tenant-databases.ts'
import type { TestApp } from '../support/test-app.ts'

const coordinator = withPassword(citusUrl ?? 'postgres://nobody@127.0.0.1/nothing')
const decision = { actor: 'desk', rationale: 'asked' }

describe.skipIf(citusUrl === undefined)(
  'a tenant on a worker of Citus, for which TEST_CITUS_URL is needed',
  () => {
    let app: TestApp

    beforeAll(async () => {
      app = await startTenantApp()
    })
    afterAll(() => app.close())

    /** Creates a tenant with a record on the coordinator, and brings it to a worker. Returns its schema. */
    async function placeOnWorker(id: string): Promise<string> {
      const { secret } = await createTenant(app, id, coordinator)
      await create(app, fact({ scope: 'team' }), { key: secret })
      await app.request('POST', `/v1/tenants/${id}/suspend`, { body: decision })
      const { schema } = (await app.request('GET', `/v1/tenants/${id}`)).body as Body
      const body = { database_url: await distributeRows(coordinator, schema), ...decision }
      expect(new URL(body.database_url).port).not.toBe(new URL(coordinator).port)
      const moved = await app.request('POST', `/v1/tenants/${id}/move`, { body })
      expect(moved.status, moved.text).toBe(200)
      expect(await findOnNodes(coordinator, schema)).toContain(true)
      return schema
    }

    it('is dropped by the coordinator on all nodes, with its receipt', async () => {
      const schema = await placeOnWorker('leaving')
      const dropped = await dropTenant(app, 'leaving')
      expect([dropped.status, dropped.body]).toMatchObject([200, { removed: { records: 1, keys: 1 } }])
      expect(await findOnNodes(coordinator, schema)).toEqual([false, false, false])
      expect((await dropTenant(app, 'leaving')).status).toBe(404)
    })

    it('is reported with the command to run when the coordinator cannot drop it, and keeps its receipt when a person drops it', async () => {
      const schema = await placeOnWorker('held')
      const command = `drop schema "${schema}" cascade;`
      const holder = new pg.Client({ connectionString: coordinator })
      await holder.connect()
      onTestFinished(() => holder.end())
      await holder.query(`begin; lock "${schema}".records in access share mode`)
      const refused = await dropTenant(app, 'held')
      expect([refused.status, (refused.body as Body).code]).toEqual([503, 'database_unavailable'])
      expect((refused.body as Body).detail).toContain(command)
      await holder.end()
      await administer(coordinator, command)
      const dropped = await dropTenant(app, 'held')
      expect([dropped.status, dropped.body]).toMatchObject([200, { removed: { records: 1, keys: 1 } }])
      expect(await findOnNodes(coordinator, schema)).toEqual([false, false, false])
    })

    it('is dropped in the usual way on a server that has Citus and no other nodes', async () => {
      const name = `alone_${randomUUID().slice(0, 8)}`
      await administer(coordinator, `create database ${name}`)
      const url = urlOf(coordinator, name)
      await administer(url, 'create extension citus')
      await createTenant(app, 'alone', url)
      expect((await dropTenant(app, 'alone')).body).toMatchObject({ removed: { keys: 1 } })
      await administer(coordinator, `drop database ${name} with (force)`)
    })
  },
)
