import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import type { Database } from '../../src/db/connection.ts'
import { nameSchema } from '../../src/db/schema-names.ts'
import { visitStatement } from '../../src/db/tenant-sessions.ts'
import { drainInBatches } from '../../src/jobs/runs/batch-walk.ts'
import type { RunContext } from '../../src/jobs/runs/runs.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createRunner } from '../../src/maintenance/index.ts'
import { checkLaws } from '../../src/roles/store-laws.ts'
import { prepareDatabase } from '../../src/roles/store-preparation.ts'
import { createTenantJobs } from '../../src/roles/tenants/tenant-jobs.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import {
  createTenant,
  dropTenant,
  startTenantApp,
  type TenantClient,
} from '../support/requests/tenant-requests.ts'
import { administer } from '../support/servers/postgres-processes.ts'
import { createServerFolder, startPostgresServer } from '../support/servers/postgres-server.ts'
import { openTcpRelay } from '../support/servers/tcp-relay.ts'
import { createTenantDatabase } from '../support/servers/tenant-databases.ts'
import { testDataRoot } from '../support/test-data-root.ts'
import { idleWorks, noIntervals } from '../support/workers/idle-jobs.ts'
import { silentAnnouncements } from '../support/workers/silent-announcements.ts'

const app = await startTenantApp()
const near = await createTenant(app, 'near')
afterAll(() => app.close())

function startJobs() {
  const { clock, ids, config, database } = app
  const lines: string[] = []
  const log = createLogger({ level: 'warn', clock, write: (line) => void lines.push(line) })
  const jobs = createTenantJobs({
    config,
    clock,
    ids,
    log,
    connection: database,
    announcements: silentAnnouncements,
  })
  const polls = jobs.startPolls()
  onTestFinished(() => polls.stop())
  return { ...jobs, lines }
}

async function undoNewestMigration(server: Database, schema: string): Promise<void> {
  const [name = '', newest] = Object.entries(migrations).at(-1) ?? []
  await server.transaction().execute(async (tx) => {
    await sql.raw(visitStatement(schema)).execute(tx)
    await newest?.down?.(tx)
    await sql`delete from kysely_migration where name = ${name}`.execute(tx)
  })
}

const list = ({ request }: TenantClient) => request('GET', '/v1/records')
const readStatus = async (tenant: TenantClient) => (await list(tenant)).status

async function requestRun({ request }: TenantClient): Promise<string> {
  const { body, status, text } = await request('POST', '/v1/maintenance/runs', { body: { job: 'decay' } })
  expect(status, text).toBe(202)
  return (body as Body).id
}

const readRun = async ({ request }: TenantClient, id: string) =>
  ((await request('GET', `/v1/maintenance/runs/${id}`)).body as Body).status

async function readParts(): Promise<Body> {
  const { status, body } = await app.request('GET', '/readyz', { key: false })
  expect(status).toBe(200)
  return (body as Body).parts
}

describe('a server of tenants that is lost', () => {
  it('makes its own tenants get Retry-After, and affects no others', async () => {
    const folder = await createServerFolder(await mkdtemp(join(testDataRoot, 'membrane-tenants-')))
    const server = await startPostgresServer(folder)
    const far = await createTenant(app, 'far', server.url)
    const leaving = await createTenant(app, 'leaving', server.url)
    await create(app, fact({ scope: 'team' }), { key: far.secret })
    const runs = { far: await requestRun(far), near: await requestRun(near) }
    await server.stop('SIGQUIT')

    const refused = await list(far)
    expect([refused.status, (refused.body as Body).code]).toEqual([503, 'database_unavailable'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await near.request('POST', '/v1/records', { body: fact({ scope: 'team' }) })).status).toBe(201)
    await expect.poll(async () => (await readParts()).tenant_servers?.ready).toBe(false)
    expect((await readParts()).tenant_servers.reason).toContain('1 of 1 servers')
    const jobs = startJobs()
    await expect.poll(() => readRun(near, runs.near)).toBe('succeeded')

    const dropping = await dropTenant(app, 'leaving')
    expect(dropping.status).toBe(503)
    expect((dropping.body as Body).detail).toContain('its data are still on its server')
    expect((await app.request('GET', '/v1/tenants/leaving')).body).toMatchObject({ status: 'dropping' })
    expect(await readStatus(leaving)).toBe(401)
    const path = '/v1/tenants/leaving?actor=desk&rationale=lost&abandon=true'
    const abandoned = (await app.request('DELETE', path)).body as Body
    expect(abandoned).toMatchObject({ removed: {}, left: { name: 'membrane' } })
    expect((await app.request('GET', '/v1/tenants/leaving')).status).toBe(404)

    await server.start()
    await expect.poll(() => readStatus(far), { timeout: 40_000 }).toBe(200)
    const [left] = await administer(server.url, `select 1 from "${abandoned.left.schema}".records limit 0`)
    expect(left?.rows).toEqual([])
    expect((await readParts()).tenant_servers).toEqual({ ready: true })
    await jobs.handle('decay', new AbortController().signal, () => {}, {
      reason: 'request',
      tenant: referenceOf(far),
    })
    await expect.poll(() => readRun(far, runs.far)).toBe('succeeded')
    expect((await dropTenant(app, 'far')).status).toBe(200)
  }, 120_000)

  it('does not stop a start, and its tenants are migrated when it is back', async () => {
    const own = await createTenantDatabase()
    let way = await openTcpRelay(own.url)
    onTestFinished(async () => {
      await way.close()
      await own.drop()
    })
    const far = await createTenant(app, 'late', way.url)
    const { schema } = (await app.request('GET', '/v1/tenants/late')).body as Body
    await app.database.visitServer(way.url, (visited) => undoNewestMigration(visited, schema))
    await app.db.updateTable('tenants').set({ migration: '0000' }).where('id', '=', 'late').execute()
    await way.close()
    const lines: string[] = []
    const log = createLogger({ level: 'info', clock: app.clock, write: (line) => void lines.push(line) })
    await prepareDatabase(app.database, log, app.config)
    expect(lines.join('')).toContain('was not migrated')
    const checked = await checkStore()
    const unsatisfied = checked.filter(({ isSatisfied }) => !isSatisfied)
    expect(unsatisfied.map(({ line }) => line)).toEqual([
      'late: could not be checked: its server cannot be used',
    ])

    way = await openTcpRelay(own.url, { at: Number(new URL(way.url).port) })
    await expect
      .poll(async () => ((await list(far)).body as Body).code, { timeout: 40_000 })
      .toBe('not_ready')
    startJobs()
    await expect.poll(() => readStatus(far), { timeout: 40_000 }).toBe(200)
    const verdicts = await checkStore()
    expect(verdicts.filter(({ isSatisfied }) => !isSatisfied)).toEqual([])
    expect(verdicts.filter(({ line }) => line.startsWith('late: ')).length).toBeGreaterThan(20)
    expect((await dropTenant(app, 'late')).status).toBe(200)
  }, 120_000)

  it('that is lost for a moment fails no run and no record: the run goes on later', async () => {
    const own = await createTenantDatabase()
    let way = await openTcpRelay(own.url)
    onTestFinished(async () => {
      await way.close()
      await own.drop()
    })
    const far = await createTenant(app, 'moment', way.url)
    const id = await requestRun(far)
    const { clock, ids, database } = app
    const db = database.databaseOf(nameSchema(referenceOf(far)), way.url)
    const loseWay = async () => {
      const at = Number(new URL(way.url).port)
      await way.close()
      await expect(sql`select`.execute(db)).rejects.toThrow()
      setTimeout(async () => {
        way = await openTcpRelay(own.url, { at })
      }, 100)
    }
    const isBack = () =>
      sql`select`.execute(db).then(
        () => true,
        () => false,
      )
    const returned = () => expect.poll(isBack, { timeout: 10_000 }).toBe(true)
    let turn = 0
    const decay = {
      run: (context: RunContext) =>
        drainInBatches({
          size: 10,
          doBatch: async () => {
            if (++turn === 1) await loseWay()
            await context.inBatch(async () => ({}))
            return false
          },
          skipFirst: async (error) => {
            await returned()
            await context.recordFault({ error, part: 'decay' })
            return false
          },
        }),
    }
    const log = createLogger({ level: 'silent', clock, write: () => {} })
    const runner = createRunner({
      db,
      clock,
      ids,
      log,
      worker: 'one',
      intervals: noIntervals,
      jobWorks: { ...idleWorks, decay },
    })
    await expect(runner.runJob('decay', new AbortController().signal)).rejects.toThrow('unavailable')
    await returned()
    expect(await readRun(far, id)).toBe('running')
    clock.advance(31_000)
    await runner.runJob('decay', new AbortController().signal)
    const ended = (await far.request('GET', `/v1/maintenance/runs/${id}`)).body as Body
    expect(ended).toMatchObject({ status: 'succeeded', attempts: 2 })
    expect(ended.stats).toEqual({})
    expect(ended.error).toBeUndefined()
    expect((await dropTenant(app, 'moment')).status).toBe(200)
  }, 30_000)

  it('that is silent holds no request for minutes', async () => {
    const own = await createTenantDatabase()
    const way = await openTcpRelay(own.url)
    onTestFinished(async () => {
      await way.close()
      await own.drop()
    })
    const far = await createTenant(app, 'silent', way.url)
    expect(await readStatus(far)).toBe(200)
    way.setSilent(true)
    const waiting = Promise.all([list(far), list(far), list(far)])
    expect(await readStatus(near)).toBe(200)
    expect((await waiting).map(({ status }) => status)).toEqual([503, 503, 503])
    expect(await readStatus(far)).toBe(503)
    way.setSilent(false)
    await expect.poll(() => readStatus(far), { timeout: 40_000 }).toBe(200)
    expect((await dropTenant(app, 'silent')).status).toBe(200)
  }, 120_000)
})

async function checkStore() {
  const verdicts: { line: string; isSatisfied: boolean }[] = []
  for await (const verdict of checkLaws(app.database, app.config)) verdicts.push(verdict)
  return verdicts
}

/** The reference that names a tenant in the messages of the queue. It is a part of the tenant's keys. */
function referenceOf({ secret }: TenantClient): string {
  return secret.split('_')[1] ?? ''
}
