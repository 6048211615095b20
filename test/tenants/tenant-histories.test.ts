import { afterAll, beforeAll, expect, it } from 'vitest'
import { nameSchema } from '../../src/db/schema-names.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createTenantJobs } from '../../src/roles/tenants/tenant-jobs.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import {
  createTenant,
  dropTenant,
  startTenantApp,
  type TenantClient,
} from '../support/requests/tenant-requests.ts'
import { goTo, listMonths } from '../support/stores/history-months.ts'
import { silentAnnouncements } from '../support/workers/silent-announcements.ts'

let jobs: ReturnType<typeof createTenantJobs>
let polls: ReturnType<typeof jobs.startPolls>

const app = await startTenantApp()
beforeAll(async () => {
  const { clock, ids, database } = app
  const log = createLogger({ level: 'silent', clock, write: () => {} })
  const config = { ...app.config, jobs: { ...app.config.jobs, historyRetentionMs: 100 * 86_400_000 } }
  jobs = createTenantJobs({
    config,
    clock,
    ids,
    log,
    connection: database,
    announcements: silentAnnouncements,
  })
  polls = jobs.startPolls()
})
afterAll(async () => {
  await polls.stop()
  await app.close()
})

async function databaseOf(id: string) {
  const { rows } = await app.database.pool.query('select reference from public.tenants where id = $1', [id])
  const reference = String(rows[0]?.reference)
  return { reference, db: app.database.databaseOf(nameSchema(reference)) }
}

/** Requests a run for a tenant, brings the message of it to the worker, and waits for its end. */
async function run({ request, id: tenant }: TenantClient, job: 'decay' | 'purge'): Promise<void> {
  const { body, text, status } = await request('POST', '/v1/maintenance/runs', { body: { job } })
  expect(status, text).toBe(202)
  const { reference } = await databaseOf(tenant)
  await jobs.handle(job, new AbortController().signal, () => {}, { reason: 'request', tenant: reference })
  const read = async () => (await request('GET', `/v1/maintenance/runs/${(body as Body).id}`)).body as Body
  await expect.poll(async () => (await read()).status, { timeout: 15_000 }).toBe('succeeded')
}

it('the histories of a tenant have months of their own, and a tenant without writes gets none', async () => {
  const busy = await createTenant(app, 'busy')
  const idle = await createTenant(app, 'idle')
  const decay = { half_life_seconds: 3_600, curve: 'linear' }
  await create(app, fact({ lifecycle: { decay, deletion_policy: 'auto_prune' } }), { key: busy.secret })
  goTo(app, '2026-03-30')
  await run(busy, 'decay')
  await run(busy, 'purge')
  await run(idle, 'purge')
  const mine = (await databaseOf('busy')).db
  const other = (await databaseOf('idle')).db
  expect(await listMonths(mine, 'audit_entries')).toEqual({ '202603': 2, '202604': 0, rest: 0 })
  expect(await listMonths(mine, 'maintenance_changes')).toEqual({ '202603': 1, '202604': 0, rest: 0 })
  for (const db of [other, app.db]) expect(await listMonths(db, 'audit_entries')).toEqual({ rest: 0 })
  goTo(app, '2026-08-20')
  await run(busy, 'purge')
  expect(await listMonths(mine, 'audit_entries')).toEqual({ rest: 0 })
  expect(await listBrokenLaws({ db: mine, clock: app.clock })).toEqual([])
  expect((await dropTenant(app, 'busy')).status).toBe(200)
  await create(app, fact(), { key: idle.secret })
  expect(await listMonths(other, 'audit_entries')).toEqual({ rest: 1 })
})
