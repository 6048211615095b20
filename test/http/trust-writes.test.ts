import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { purgeForgotten } from '../../src/records/index.ts'
import {
  operations as documented,
  exampleOf,
  namesRecords,
  type Operation,
} from '../support/http/openapi-operations.ts'
import { type Body, create, expectProblem, payloads, read } from '../support/requests/record-requests.ts'
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts'
import { uuid } from '../support/texts/uuid.ts'

/**
 * Calls every operation of the published document that is not a GET with a key of one scope and a low ceiling, on records
 * outside the trust of the key. Each record must stay unchanged. The same call must change the record for the root key,
 * or the test would prove nothing: a new operation fails here until `preparations` says what its record needs.
 */

const operations = documented.filter(({ method }) => method !== 'GET')
const onRecord = operations.filter(({ path }) => /^\/v1\/(?:records|entities)\/\{id\}/.test(path))
/** These operations only read the records they name. */
const reading = new Set(['searchSimilar'])
const naming = operations.filter((each) => !reading.has(each.name) && namesRecords(each))
/** A key may note the use of an unscoped record that it reads, and link a record of its own to it. */
const noting = new Set(['noteAccess'])
const linking = new Set(['relateRecords'])

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the mutation walk' } })
  key = await app.issueKey(['records:read', 'records:write', 'lifecycle:write', 'maintenance:run', 'admin'], {
    scopes: ['mine'],
    max_sensitivity: 'low',
  })
})
afterAll(() => app.close())

const post = async (path: string, body: object): Promise<void> => {
  const answer = await app.request('POST', path, { body })
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
}

const contest = (id: string) =>
  post(`/v1/records/${id}/contest`, { contesting_ref: 'x', actor: 'a', rationale: 'r' })

type Preparation = { type?: keyof typeof payloads; more?: object; prepare?: (id: string) => Promise<unknown> }

/** Prepares a record so that the example of the operation changes it. */
const preparations: Record<string, Preparation> = {
  setOutcome: { type: 'episodic' },
  unpinRecord: { more: { lifecycle: { pinned: true } } },
  demoteRecord: { more: { layer: 'semantic' } },
  promoteRecord: { more: { layer: 'working' } },
  restoreRecord: { prepare: (id) => app.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`) },
  uncontestRecord: { prepare: contest },
  revertRecord: { prepare: contest },
  unrelateRecords: {
    prepare: (id) => post(`/v1/records/${id}/relations`, { predicate: 'supports', target_id: hub }),
  },
}
let hub = ''

/** Content of its own for each record, because erased content cannot be stored again. */
function named(type: keyof typeof payloads): object {
  const name = `thing ${app.ids.next()}`
  if (type === 'entity') return { canonical_name: name }
  return type === 'semantic' ? { object: name } : {}
}

async function makeFact(trust: object): Promise<string> {
  const payload = { ...payloads.semantic, ...named('semantic') }
  return (await create(app, { type: 'semantic', payload, ...trust })).id
}

async function make(operation: Operation, trust: object): Promise<string> {
  const isEntity = operation.path.startsWith('/v1/entities')
  const { type = isEntity ? 'entity' : 'semantic', more, prepare } = preparations[operation.name] ?? {}
  const payload = { ...payloads[type], ...named(type) }
  const { id } = await create(app, { type, payload, ...more, ...trust })
  if (operation.path.includes('{target_id}')) hub = await makeFact(trust)
  await prepare?.(id)
  return id
}

/** Sends the example with its ids replaced by those of `named`. */
async function send(operation: Operation, id: string, named: string[], options = {}): Promise<Answer> {
  const { name, method, path, body: { mediaType = 'application/json' } = {} } = operation
  const example = exampleOf(operation)
  const target = path
    .replace('{id}', id)
    .replace('{predicate}', 'supports')
    .replace('{target_id}', hub)
    .replace('{type}', 'semantic')
    .replace('{job}', 'decay')
  const rest = [...named]
  const text = JSON.stringify(example ?? {}).replace(uuid, () => rest.shift() ?? app.ids.next())
  const body = mediaType.endsWith('ndjson') ? `${text}\n` : JSON.parse(text)
  return app.request(method, name === 'deleteRecord' ? `${target}?actor=a&rationale=r` : target, {
    ...options,
    ...(example === undefined ? {} : { body }),
    headers: { 'content-type': mediaType },
  })
}

/** Reads everything stored about a record except its use; with `edges`, also the edges that start at it. */
async function stateOf(id: string, { edges = true } = {}): Promise<unknown> {
  const { rows } = await app.database.pool.query(
    `select to_jsonb(r) - array['access_count', 'served_count', 'last_accessed_at', 'importance'] as record,
       (select to_jsonb(c) from contents as c where c.record_id = r.id) as content,
       (select jsonb_agg(to_jsonb(a) order by a.id) from audit_entries as a where a.record_id = r.id) as audit,
       (select jsonb_agg(to_jsonb(s) order by s.id) from status_changes as s where s.record_id = r.id) as moves,
       case when $2 then (select jsonb_agg(to_jsonb(e) order by e.predicate, e.target_id)
         from relations as e where e.source_id = r.id) end as edges
     from records as r where r.id = $1`,
    [id, edges],
  )
  return rows[0]
}

/** An operation that left out one of the checks of trust would change one of the first three. */
const outside: [string, object, number, string][] = [
  ['an unscoped record', { sensitivity: 'public' }, 403, 'outside_trust'],
  ['a record of another scope', { scope: 'theirs', sensitivity: 'public' }, 404, 'record_not_found'],
  ['a redacted record', { scope: 'mine', sensitivity: 'medium' }, 403, 'above_ceiling'],
  ['a hidden record', { scope: 'mine', sensitivity: 'high' }, 404, 'record_not_found'],
  ['an unscoped redacted record', { sensitivity: 'medium' }, 403, 'above_ceiling'],
]

const listTargets = async (operation: Operation, trust: object) =>
  naming.includes(operation) ? [await make(operation, trust)] : []

describe.each(outside.slice(0, 3))('%s', (_, trust, status, code) => {
  it.each(onRecord)('is not changed by $name with a key that may not write to it', async (operation) => {
    const named = await listTargets(operation, trust)
    const id = await make(operation, trust)
    const before = await stateOf(id)
    const answer = await send(operation, id, named, { key })
    expect(await stateOf(id)).toEqual(before)
    if (status === 403 && code === 'outside_trust' && noting.has(operation.name)) {
      expect(answer.status).toBe(200)
    } else expectProblem(answer, status, code)
  })

  it.each(naming)('is not changed by $name when the body names it', async (operation) => {
    const own = await make(operation, { scope: 'mine', sensitivity: 'low' })
    const named = [await make(operation, trust), await make(operation, trust)]
    const isLink = linking.has(operation.name) && code === 'outside_trust'
    const states = () => Promise.all(named.map((id) => stateOf(id, { edges: !isLink })))
    const before = await states()
    const answer = await send(operation, own, named, { key })
    expect(await states()).toEqual(before)
    if (isLink) expect(answer.status).toBe(201)
    else if (answer.status === 200) {
      const [result] = (answer.body as Body).results
      expect(result).toMatchObject({ status, problem: { status, code } })
    } else expectProblem(answer, status, code)
  })
})

it.each(outside.slice(3))(
  '%s is not changed with a key that may not write to it',
  async (_, trust, status, code) => {
    const id = await makeFact(trust)
    const before = await stateOf(id)
    const answer = await app.request('PATCH', `/v1/records/${id}`, { key, body: { tags: ['changed'] } })
    expectProblem(answer, status, code)
    expect(await stateOf(id)).toEqual(before)
  },
)

describe('the records outside of the trust of a key', () => {
  const others = operations.filter((each) => !onRecord.includes(each) && !naming.includes(each))
  let ids: string[]
  beforeAll(async () => {
    ids = await Promise.all(outside.map(([, trust]) => makeFact(trust)))
  })

  it.each(others)('are unchanged after $name', async (operation) => {
    const states = () => Promise.all(ids.map((id) => stateOf(id)))
    const before = await states()
    const isAboutOne = operation.path.includes('{id}') || reading.has(operation.name)
    for (const id of isAboutOne ? ids : ids.slice(0, 1)) await send(operation, id, [id], { key })
    expect(await states()).toEqual(before)
  })
})

describe('each operation of the trust checks', () => {
  it.each(onRecord.filter(({ name }) => !noting.has(name)))(
    '$name changes a record for the root key',
    async (operation) => {
      const named = await listTargets(operation, {})
      const id = await make(operation, {})
      const before = await stateOf(id)
      const answer = await send(operation, id, named)
      expect([answer.status < 300, answer.text]).toEqual([true, answer.text])
      expect(await stateOf(id)).not.toEqual(before)
    },
  )

  it.each(naming.filter(({ name }) => !linking.has(name)))(
    '$name changes the records that its body names for the root key',
    async (operation) => {
      const named = [await make(operation, {}), await make(operation, {})]
      const before = await stateOf(named[0] ?? '')
      const answer = await send(operation, await make(operation, {}), named)
      expect([answer.status < 300, answer.text]).toEqual([true, answer.text])
      expect(await stateOf(named[0] ?? '')).not.toEqual(before)
    },
  )

  it('finds the operations to be tested in the description of the API', () => {
    expect([onRecord.length >= 21, naming.length >= 5, operations.length >= 35]).toEqual([true, true, true])
  })
})

describe('a key of one scope', () => {
  const ask = (method: string, path: string, body?: object) => app.request(method, path, { key, body })
  const pair = async () => ({ own: await makeFact({ scope: 'mine' }), common: await makeFact({}) })

  it('adds and removes an edge from its own record to an unscoped one', async () => {
    const { own, common } = await pair()
    const link = { predicate: 'supports', target_id: common }
    expect((await ask('POST', `/v1/records/${own}/relations`, link)).status).toBe(201)
    expect((await read(app, common)).relations).toMatchObject([{ predicate: 'supported_by', target_id: own }])
    expect((await ask('DELETE', `/v1/records/${own}/relations/supports/${common}`)).status).toBe(204)
    expect((await read(app, common)).relations).toEqual([])
  })

  it('cannot remove or reweight an edge of an unscoped record through the inverse edge', async () => {
    const { own, common } = await pair()
    await post(`/v1/records/${common}/relations`, { predicate: 'supports', target_id: own })
    const before = await stateOf(common)
    const path = `/v1/records/${own}/relations`
    expectProblem(await ask('DELETE', `${path}/supported_by/${common}`), 403, 'outside_trust')
    const weaker = { predicate: 'supported_by', target_id: common, weight: 0.1 }
    expectProblem(await ask('POST', path, weaker), 403, 'outside_trust')
    expect(await stateOf(common)).toEqual(before)
  })

  it('cannot erase what is left of a purged record without scope', async () => {
    const { common } = await pair()
    await app.request('DELETE', `/v1/records/${common}?actor=a&rationale=r`)
    app.clock.advance(365 * 86_400_000)
    expect(await purgeForgotten(app.db, app.clock.now(), 1_000)).toBeGreaterThan(0)
    const answer = await ask('POST', `/v1/records/${common}/erase`, { actor: 'a', rationale: 'r' })
    expectProblem(answer, 403, 'outside_trust')
  })
})
