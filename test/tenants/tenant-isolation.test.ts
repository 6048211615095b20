import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/connection.ts'
import { schemaOf } from '../../src/db/schema-names.ts'
import { type Operation, operations } from '../support/fuzz/openapi-operations.ts'
import { callTool, connectClient } from '../support/mcp-clients.ts'
import { type Body, payloads } from '../support/record-requests.ts'
import { createTenant, startTenantApp, type TenantClient } from '../support/tenant-requests.ts'
import type { Answer, TestApp } from '../support/test-app.ts'

type Store = TenantClient & { db: Database; word: string; listed: Map<string, string> }

let app: TestApp
let one: Store
let other: Store
/** Gets the same requests as the others, but alone. */
let alone: Store

beforeAll(async () => {
  app = await startTenantApp()
  one = await openStore('one', 'ALPHAWORD')
  other = await openStore('other', 'OMEGAWORD')
  alone = await openStore('alone', 'ALONEWORD')
})
afterAll(() => app.close())

async function openStore(id: string, word: string): Promise<Store> {
  const tenant = await createTenant(app, id)
  const { reference } = await app.db
    .selectFrom('tenants')
    .select('reference')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { ...tenant, db: app.database.databaseOf(schemaOf(reference)), word, listed: new Map() }
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
/** What removes comes last. */
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
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
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

describe('two tenants with the same ids, scopes and idempotency keys', () => {
  it('get answers as if each were alone, to every operation', async () => {
    for (const store of [one, other]) await fill(store)
    const differing: string[] = []
    const succeeded: string[] = []
    for (const operation of inOrder) {
      const [mine, theirs] = await Promise.all([ask(one, operation), ask(other, operation)])
      if (mine.status !== theirs.status) differing.push(`${operation.name} ${mine.status} ${theirs.status}`)
      if (mine.status < 300) succeeded.push(operation.name)
      expectOnly(mine, one, other, operation.name)
      expectOnly(theirs, other, one, operation.name)
    }
    expect(differing).toEqual([])
    expect(succeeded.length).toBeGreaterThan(inOrder.length / 2)
    expect(await findWord(one.db, one.word)).toContain('contents')
    expect(await findWord(one.db, other.word)).toEqual([])
    expect(await findWord(other.db, one.word)).toEqual([])
    for (const { word } of [one, other]) expect(await findWord(app.db, word)).toEqual([])
  }, 120_000)

  it('leave stores as each would alone, and nothing elsewhere', async () => {
    const home = await countAllRows(app.db)
    await fill(alone)
    for (const operation of inOrder) await ask(alone, operation)
    // Accesses are written about a second after the answer.
    await sleep(2_000)
    const expected = await countAllRows(alone.db)
    expect(await countAllRows(one.db)).toEqual(expected)
    expect(await countAllRows(other.db)).toEqual(expected)
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

function expectOnly(answer: Answer, own: Store, foreign: Store, name: string): void {
  expect(answer.headers.get('idempotency-replayed'), name).toBeNull()
  expect(answer.status, `${name} ${answer.text.slice(0, 300)}`).toBeLessThan(500)
  expect(answer.text, `${name} of ${own.id}`).not.toContain(foreign.word)
}
