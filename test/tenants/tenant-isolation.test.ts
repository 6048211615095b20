import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/connection.ts'
import { nameSchema } from '../../src/db/schema-names.ts'
import { callTool, connectClient } from '../support/http/mcp-clients.ts'
import { type Operation, operations } from '../support/http/openapi-operations.ts'
import { type Body, payloads } from '../support/requests/record-requests.ts'
import {
  createTenant,
  readPlace,
  startTenantApp,
  type TenantClient,
} from '../support/requests/tenant-requests.ts'
import { createTenantDatabase, type TenantDatabase } from '../support/servers/tenant-databases.ts'
import type { Answer } from '../support/test-app.ts'
import { uuid } from '../support/texts/uuid.ts'

type Store = TenantClient & { db: Database; word: string; listed: Map<string, string> }

let one: Store
let other: Store
/** On a server of its own. It gets the same requests as the others, but alone. */
let alone: Store
let ownServer: TenantDatabase
/** The status of the answer to each operation. */
const statusOf = new Map<string, number>()

const app = await startTenantApp()
beforeAll(async () => {
  one = await openStore('one', 'ALPHAWORD')
  other = await openStore('other', 'OMEGAWORD')
  ownServer = await createTenantDatabase()
  alone = await openStore('alone', 'DELTAWORD', ownServer.url)
})
afterAll(async () => {
  await app.close()
  await ownServer.drop()
})

async function openStore(id: string, word: string, url?: string): Promise<Store> {
  const tenant = await createTenant(app, id, url)
  const { reference } = await readPlace(app, id)
  return { ...tenant, db: app.database.databaseOf(nameSchema(reference), url), word, listed: new Map() }
}

const idOf = (nth: number) => `0197b9a0-0000-7000-8000-00000000000${nth}`

/** Stores one record of each type, under the same ids in every tenant. */
async function fill({ request, word, listed }: Store): Promise<void> {
  for (const [nth, payload] of Object.values(payloads).entries()) {
    const body = { id: idOf(nth), type: payload.kind, payload, scope: 'team', tags: [word] }
    expect((await request('POST', '/v1/records', { body })).status).toBe(201)
  }
  const note = { source: 'agent', content: `the harbour of ${word} is closed`, scope: 'team' }
  expect((await request('POST', '/v1/capture', { body: note })).status).toBe(201)
  const run = (await request('POST', '/v1/maintenance/runs', { body: { job: 'decay' } })).body as Body
  listed.set('/v1/maintenance/runs', run.id)
  // Its events end with it.
  await request('DELETE', `/v1/maintenance/runs/${run.id}`)
  const policies = await request('GET', '/v1/keys')
  listed.set('/v1/keys', (policies.body as Body).items[0].id)
}

const shared = operations.filter(({ path }) => !path.startsWith('/v1/tenants'))
/** Operations that remove come last. */
const inOrder = [
  ...shared.filter(({ method, path }) => method !== 'DELETE' && !path.endsWith('/erase')),
  ...shared.filter(({ path }) => path.endsWith('/erase')),
  ...shared.filter(({ method, path }) => method === 'DELETE' && !path.startsWith('/v1/keys')),
]

/** A request as the document shows it, for records that each tenant has, under an Idempotency-Key that each uses. */
function ask({ request, listed }: Store, { name, method, path, parameters, body }: Operation) {
  const collection = path.split('/{', 1)[0] ?? ''
  const target = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const schema = parameters.find((each) => each.name === parameter)?.schema
    return schema?.format === 'uuid' ? (listed.get(collection) ?? idOf(3)) : 'team'
  })
  const query = parameters
    .filter((each) => each.in === 'query' && each.required)
    .map((each) => `${each.name}=${each.schema.enum?.[0] ?? 'team'}`)
  const [example] = body?.examples ?? []
  const sent = typeof example === 'string' ? example : JSON.stringify(example)?.replaceAll(uuid, idOf(3))
  return request(method, `${target}${query.length > 0 ? `?${query.join('&')}` : ''}`, {
    headers: { 'idempotency-key': name, ...(body ? { 'content-type': body.mediaType } : {}) },
    ...(sent === undefined || !body ? {} : { body: sent }),
  })
}

/**
 * In the first two, each connection to the server counts in rows of its own. Importance is computed with each batch of
 * accesses, and how many accesses are in one depends on the speed of the machine.
 */
const varying = new Set(['scope_sizes', 'tallies', 'importance_history'])

async function countAllRows(db: Database): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::text::regnamespace and relkind in ('r', 'p') and not relispartition order by 1
  `.execute(db)
  const counted = rows.filter(({ name }) => !varying.has(name))
  const counts = counted.map(async ({ name }) => {
    const { rows: found } = await sql<{
      n: number
    }>`select count(*)::int as n from ${sql.id(name)}`.execute(db)
    return [name, found[0]?.n ?? 0] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

/** The tables of a schema in which a word stands. */
async function findWord(db: Database, word: string): Promise<string[]> {
  const tables = Object.keys(await countAllRows(db))
  const found = await Promise.all(
    tables.map(async (name) => {
      const { rows } = await sql`
        select 1 from ${sql.id(name)} as r where r::text ilike ${`%${word}%`} limit 1
      `.execute(db)
      return rows.length > 0 ? [name] : []
    }),
  )
  return found.flat()
}

describe('tenants with the same ids, scopes and idempotency keys', () => {
  it('get answers as if each were alone, to every operation', async () => {
    const stores = [one, other]
    for (const store of stores) await fill(store)
    const differing: string[] = []
    const succeeded: string[] = []
    for (const operation of inOrder) {
      const answers = await Promise.all(stores.map((store) => ask(store, operation)))
      const statuses = answers.map(({ status }) => status)
      const [status = 0] = statuses
      statusOf.set(operation.name, status)
      if (new Set(statuses).size > 1) differing.push(`${operation.name} ${statuses.join(' ')}`)
      if (statuses.every((status) => status < 300)) succeeded.push(operation.name)
      for (const [nth, answer] of answers.entries()) expectOnly(answer, stores, nth, operation.name)
    }
    expect(differing).toEqual([])
    expect(succeeded.length).toBeGreaterThan(inOrder.length / 2)
    for (const store of stores) await expectOwnWords(store, stores)
  }, 120_000)

  it('leave stores as each would alone, and nothing elsewhere', async () => {
    const home = await countAllRows(app.db)
    await fill(alone)
    const stores = [one, other, alone]
    for (const operation of inOrder) {
      const answer = await ask(alone, operation)
      expect(answer.status, operation.name).toBe(statusOf.get(operation.name))
      expectOnly(answer, stores, stores.indexOf(alone), operation.name)
    }
    // Accesses are written about a second after the answer.
    await sleep(2_000)
    await expect.poll(() => findTablesOfOtherSize(stores)).toEqual([])
    await expectOwnWords(alone, stores)
    expect(await countAllRows(app.db)).toEqual(home)
    expect(home).toMatchObject({ records: 0, idempotency_keys: 0, api_keys: 0, maintenance_runs: 0 })
  }, 120_000)

  it('are apart for agents too', async () => {
    const client = await connectClient(app, { key: alone.secret })
    const found = JSON.stringify(await callTool(client, 'recall', { query: 'which harbour is closed' }))
    await client.close()
    expect(found).toContain('items')
    for (const { word } of [one, other]) expect(found).not.toContain(word)
  })
})

async function findTablesOfOtherSize(stores: readonly Store[]): Promise<string[]> {
  const [first = {}, ...others] = await Promise.all(stores.map(({ db }) => countAllRows(db)))
  return Object.keys(first).filter((table) => others.some((counts) => counts[table] !== first[table]))
}

async function expectOwnWords({ db, word }: Store, stores: readonly Store[]): Promise<void> {
  expect(await findWord(db, word)).toContain('contents')
  expect(await findWord(app.db, word)).toEqual([])
  for (const foreign of stores)
    if (foreign.word !== word) expect(await findWord(db, foreign.word)).toEqual([])
}

function expectOnly(answer: Answer, stores: readonly Store[], nth: number, name: string): void {
  expect(answer.headers.get('idempotency-replayed'), name).toBeNull()
  expect(answer.status, `${name} ${answer.text.slice(0, 300)}`).toBeLessThan(500)
  for (const [other, { word }] of stores.entries())
    if (other !== nth) expect(answer.text, `${name} of ${stores[nth]?.id}`).not.toContain(word)
}

it('shows each tenant the events of its own run, also where two runs have one id', async () => {
  const id = idOf(9)
  const jobs = ['decay', 'refresh_importance']
  const stores = await Promise.all(jobs.map((job) => openStore(job.replace('_', '-'), 'STREAMWORD')))
  for (const [index, { request, db }] of stores.entries()) {
    const run = (await request('POST', '/v1/maintenance/runs', { body: { job: jobs[index] } })).body as Body
    // The stream of a run that has ended is short.
    const ended = sql`id = ${id}::uuid, status = 'cancelled', finished_at = created_at`
    await sql`update maintenance_runs set ${ended} where id = ${run.id}::uuid`.execute(db)
  }
  const streams = stores.map(({ request }) => request('GET', `/v1/maintenance/runs/${id}/events`))
  const texts = (await Promise.all(streams)).map(({ text }) => text)
  expect(texts).toEqual(jobs.map((job) => expect.stringContaining(`"job":"${job}"`)))
})
