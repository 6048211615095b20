import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Announcements } from '../../src/jobs/queue/announcements.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createTenantJobs } from '../../src/roles/tenants/tenant-jobs.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import {
  createTenant,
  dropTenant,
  startTenantApp,
  type TenantClient,
} from '../support/requests/tenant-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { silentAnnouncements } from '../support/workers/silent-announcements.ts'

/** Creating a tenant takes longer than what most tests here do with it. */
let first: TenantClient
let second: TenantClient
const app = await startTenantApp()
beforeAll(async () => {
  first = await createTenant(app, 'first')
  second = await createTenant(app, 'second')
})
afterAll(() => app.close())

const decision = { actor: 'desk', rationale: 'asked' }

function startJobs({ sliceMs = 60_000, maxWatched = 100 } = {}) {
  const { clock, ids, config, database } = app
  const lines: string[] = []
  const log = createLogger({ level: 'warn', clock, write: (line) => void lines.push(line) })
  const jobs = createTenantJobs({
    config,
    clock,
    ids,
    log,
    sliceMs,
    maxWatched,
    connection: database,
    announcements: silentAnnouncements,
  })
  const polls = jobs.startPolls()
  return { ...jobs, lines, stop: () => polls.stop() }
}

async function requestRun({ request }: TenantClient, job = 'decay'): Promise<string> {
  const { body, status, text } = await request('POST', '/v1/maintenance/runs', { body: { job } })
  expect(status, text).toBe(202)
  return (body as Body).id
}

async function readRun({ request }: TenantClient, id: string): Promise<Body> {
  return (await request('GET', `/v1/maintenance/runs/${id}`)).body
}

describe('the jobs of tenants', () => {
  it('run for each tenant, on its own records', async () => {
    for (const each of [first, second]) await create(app, fact({ scope: 'team' }), { key: each.secret })
    const mine = await requestRun(first)
    const jobs = startJobs()
    try {
      await expect
        .poll(async () => (await readRun(first, mine)).status, { timeout: 15_000 })
        .toBe('succeeded')
      expect((await second.request('GET', `/v1/maintenance/runs/${mine}`)).status).toBe(404)
    } finally {
      await jobs.stop()
    }
    expect(jobs.lines).toEqual([])
  })

  it('do not start while the tenant is suspended, and start when it is resumed', async () => {
    const reference = await referenceOf(first.id)
    const id = await requestRun(first)
    await app.request('POST', '/v1/tenants/first/suspend', { body: decision })
    const jobs = startJobs()
    const signal = new AbortController().signal
    try {
      const refused = await jobs.handle('decay', signal, () => {}, { reason: 'request', tenant: reference })
      expect(refused).toEqual({ refused: 1 })
      await app.request('POST', '/v1/tenants/first/resume', { body: decision })
      expect((await readRun(first, id)).status).toBe('queued')
      // The worker keeps what it knows of a tenant for a second.
      await sleep(1_100)
      await jobs.handle('decay', signal, () => {}, { reason: 'request', tenant: reference })
      await expect.poll(async () => (await readRun(first, id)).status, { timeout: 15_000 }).toBe('succeeded')
    } finally {
      await jobs.stop()
    }
  })

  it('end with their tenant, when it is dropped during a run', async () => {
    const one = await createTenant(app, 'leaving')
    for (let nth = 0; nth < 5; nth++) await create(app, fact({ scope: `scope-${nth}` }), { key: one.secret })
    await requestRun(one, 'refresh_importance')
    await requestRun(one)
    const jobs = startJobs()
    try {
      const [dropped] = await Promise.all([dropTenant(app, 'leaving'), sleep(5)])
      expect(dropped.status, dropped.text).toBe(200)
      expect((await one.request('GET', '/v1/records')).status).toBe(401)
      const id = await requestRun(second)
      const message = { reason: 'request', tenant: await referenceOf(second.id) } as const
      await jobs.handle('decay', new AbortController().signal, () => {}, message)
      await expect.poll(async () => (await readRun(second, id)).status, { timeout: 15_000 }).toBe('succeeded')
    } finally {
      await jobs.stop()
    }
  })
})

describe('writes', () => {
  it('are announced to the workers, those of no tenant too', async () => {
    const heard: (string | undefined)[] = []
    const announcing = (tenant?: string): Announcements => ({
      ...silentAnnouncements,
      announceWrites: async () => heard.push(tenant) > 0,
      ofTenant: announcing,
    })
    const own = await startTestApp({ variables: { MEMBRANE_TENANTS: 'on' }, announcements: announcing() })
    try {
      await create(own, fact())
      await expect.poll(() => heard).toEqual([undefined])
      const one = await createTenant(own, 'written')
      await create(own, fact(), { key: one.secret })
      const { schema } = (await own.request('GET', '/v1/tenants/written')).body as Body
      await expect.poll(() => heard).toEqual([undefined, schema.slice('t_'.length)])
    } finally {
      await own.close()
    }
  })

  it('of more tenants than are watched at once all get their vectors', async () => {
    const tenants = [first, second]
    const jobs = startJobs({ maxWatched: 1 })
    try {
      for (const each of [...tenants, ...tenants]) {
        await create(app, fact({ scope: 'team', tags: [each.id] }), { key: each.secret })
        const message = { reason: 'writes', tenant: await referenceOf(each.id) } as const
        await jobs.handle('embed', new AbortController().signal, () => {}, message)
        await expect.poll(() => countWaiting(each.id), { timeout: 20_000 }).toBe(0)
      }
    } finally {
      await jobs.stop()
    }
    expect(jobs.lines).toEqual([])
  })

  it('to a tenant that is dropped at the same time are stored and removed, or refused', async () => {
    const one = await createTenant(app, 'racing')
    const writing = Array.from({ length: 30 }, (_, nth) =>
      one.request('POST', '/v1/records', { body: fact({ scope: `s${nth}` }) }),
    )
    const dropped = await dropTenant(app, 'racing')
    const statuses = new Set((await Promise.all(writing)).map(({ status }) => status))
    expect(dropped.status, dropped.text).toBe(200)
    expect([...statuses].filter((status) => status !== 201 && status !== 401)).toEqual([])
    const { rows } = await app.database.pool.query(
      `select count(*)::int as n from pg_namespace where nspname like 't\\_%'
         and nspname not in (select 't_' || reference from public.tenants)`,
    )
    expect(rows).toEqual([{ n: 0 }])
  })
})

/** The texts of a tenant that wait for their vectors. */
async function countWaiting(id: string): Promise<number> {
  const { rows } = await app.database.pool.query(
    `select count(*)::int as n from t_${await referenceOf(id)}.unembedded`,
  )
  return rows[0]?.n
}

async function referenceOf(id: string): Promise<string> {
  const { reference } = await app.db
    .selectFrom('tenants')
    .select('reference')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return reference
}
