import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmbeddingWorker } from '../support/embedding-workers.ts'
import { type Body, create } from '../support/record-requests.ts'
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * Calls every operation of the published document that takes an id with records that the key may not see, using the
 * document's own example bodies. A new operation is included without a change here.
 */

const document: Body = JSON.parse(
  readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8'),
)

type Operation = {
  name: string
  method: string
  path: string
  query: string
  example: Body | undefined
  /** The member of the body that takes a question, for operations that only read. */
  words: string | undefined
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const secret = 'quetzalcoatlus'
const secretTag = 'tag-quetzalcoatlus'

const operations: Operation[] = Object.entries<Body>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Body>(methods).map(([method, operation]) => ({
    name: operation.operationId,
    method: method.toUpperCase(),
    path,
    query: queryOf(operation),
    example: exampleOf(operation),
    words: wordsOf(operation),
  })),
)
const aboutRecords = operations.filter(({ path }) => /^\/v1\/(?:records|entities)\/\{id\}/.test(path))
/** The ids in the example of the body. */
const namingRecords = operations.filter(
  ({ name, example }) => name !== 'createKey' && JSON.stringify(example ?? {}).match(uuid),
)
const reading = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'))

/** Operations that compare words with the store. */
const asking = operations.filter(({ method, words }) => method === 'POST' && words !== undefined)

function queryOf(operation: Body): string {
  const required = (operation.parameters ?? []).filter((each: Body) => each.in === 'query' && each.required)
  return required.map((each: Body) => `${each.name}=ada`).join('&')
}

function bodyOf(operation: Body): Body {
  const schema = operation.requestBody?.content['application/json']?.schema
  return schema?.$ref ? document.components.schemas[schema.$ref.split('/').pop()] : schema
}

function wordsOf(operation: Body): string | undefined {
  const members = Object.keys(bodyOf(operation)?.properties ?? {})
  return operation.description.includes('Needs `records:read`')
    ? members.find((name) => ['text', 'task_descriptor'].includes(name))
    : undefined
}

function exampleOf(operation: Body): Body | undefined {
  const schema = operation.requestBody?.content['application/json']?.schema
  const named = bodyOf(operation)
  if (schema && !named?.examples?.[0]) throw new Error(`${operation.operationId} has no example body`)
  return named?.examples?.[0]
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the walking tests' } })
})
afterAll(() => app.close())

const everything = ['records:read', 'records:write', 'lifecycle:write', 'maintenance:run'] as const
const issue = (more: object) => app.issueKey(everything, more)

const facts = { kind: 'semantic', subject: secret, predicate: 'says', object: secret }
const names = { kind: 'entity', canonical_name: secret, primary_type: 'Service', summary: secret }

/** Creates a record of the kind that the operation needs, with the secret in every field. */
async function hide({ path }: Operation, more: object): Promise<string> {
  const isEntity = path.startsWith('/v1/entities')
  const provenance = { sources: [{ kind: 'event', ref: secret }] }
  const body = isEntity ? { type: 'entity', payload: names } : { type: 'semantic', payload: facts }
  const { id } = await create(app, { ...body, ...more, provenance, tags: [secretTag] })
  await app.request('POST', `/v1/records/${id}/status`, {
    body: { status: 'challenged', reason: secret, actor: secret },
  })
  return id
}

/** Creates a record of the caller's own for each call. */
async function own({ path }: Operation): Promise<string> {
  const payload = path.startsWith('/v1/entities')
    ? { kind: 'entity', canonical_name: app.ids.next(), primary_type: 'Service' }
    : { ...facts, subject: 'plain', object: 'plain' }
  return (await create(app, { type: payload.kind, scope: 'mine', payload })).id
}

async function ask(operation: Operation, key: string, inPath: string, inBody: string): Promise<Answer> {
  const { method, path, query, example } = operation
  const target = path.includes('{target_id}') ? inBody : ''
  const filled = path
    .replace('{id}', inPath)
    .replace('{predicate}', 'supports')
    .replace('{target_id}', target)
  // Only the first of several ids is replaced, as the others must differ from it.
  const body = example && JSON.parse(JSON.stringify(example).replace(new RegExp(uuid.source), inBody))
  return app.request(method, query ? `${filled}?${query}` : filled, { key, ...(body ? { body } : {}) })
}

/** Removes what differs between any two requests. */
function plain({ status, text }: Answer): object {
  return { status, text: text.replaceAll(uuid, '<id>') }
}

const keysThatSeeNothing: [string, object, object][] = [
  [
    'another scope',
    { scopes: ['mine'], max_sensitivity: 'hyper' },
    { scope: 'theirs', sensitivity: 'public' },
  ],
  ['two levels below', { scopes: ['mine'], max_sensitivity: 'low' }, { scope: 'mine', sensitivity: 'high' }],
]

describe.each(keysThatSeeNothing)('a key of %s', (_, trust, where) => {
  it.each(aboutRecords)(
    'gets the same answer from $name for a hidden record as for a missing one',
    async (operation) => {
      const key = await issue(trust)
      const target = await own(operation)
      const hidden = await hide(operation, where)
      const absent = app.ids.next()
      const answer = await ask(operation, key, hidden, target)
      expect(plain(answer)).toEqual(plain(await ask(operation, key, absent, target)))
      expect(answer.status).toBe(404)
      expect(answer.text).not.toContain(secret)
    },
  )

  it.each(namingRecords)(
    'gets the same answer from $name when the body names a hidden record or a missing one',
    async (operation) => {
      const key = await issue(trust)
      const hidden = await hide(operation, where)
      const absent = app.ids.next()
      const answer = await ask(operation, key, await own(operation), hidden)
      expect(plain(answer)).toEqual(plain(await ask(operation, key, await own(operation), absent)))
      expect(answer.text).not.toContain(secret)
      expect(answer.status).not.toBe(403)
    },
  )

  it.each(aboutRecords.filter(({ method }) => method === 'GET'))(
    'does not learn of a hidden neighbour from $name',
    async (operation) => {
      const key = await issue(trust)
      const near = await own(operation)
      const hidden = await hide(operation, where)
      const body = { predicate: 'supports', target_id: near, rationale: secret, actor: secret }
      await app.request('POST', `/v1/records/${hidden}/relations`, { body })
      const { status, text } = await ask(operation, key, near, near)
      expect([status, text.includes(hidden), text.includes(secret)]).toEqual([200, false, false])
    },
  )

  it.each(asking)(
    'gets the same answer from $name whether or not a hidden record has the same text',
    async (operation) => {
      const key = await issue(trust)
      const counted = ['retrieve', 'buildContext'].includes(operation.name) ? { record_access: false } : {}
      const body = { [operation.words ?? '']: `${secret} says ${secret} plain`, ...counted }
      const ask = () => app.request('POST', operation.path, { key, body })
      await own(operation)
      await createEmbeddingWorker(app).run()
      // The serving model is cached for a moment.
      app.clock.advance(2_000)
      const before = await ask()
      const hidden = await hide(operation, where)
      await createEmbeddingWorker(app).run()
      const after = await ask()
      expect([after.status, after.text.includes(hidden)]).toEqual([200, false])
      expect(after.body).toEqual(before.body)
    },
  )

  it.each(reading)('reads no word of a hidden record from $name', async (operation) => {
    const key = await issue(trust)
    const hidden = await hide(operation, where)
    const { text } = await app.request(operation.method, operation.path, { key })
    // The document of the service names no record.
    expect([text.includes(hidden), text.includes(secret)]).toEqual([false, false])
  })
})

describe('a key one level below a record', () => {
  const trust = { scopes: ['mine'], max_sensitivity: 'medium' }
  const where = { scope: 'mine', sensitivity: 'high' }

  it.each(aboutRecords)('learns from $name at most that the record exists', async (operation) => {
    const key = await issue(trust)
    const veiled = await hide(operation, where)
    const { status, text } = await ask(operation, key, veiled, await own(operation))
    expect(text.replaceAll(secretTag, '')).not.toContain(secret)
    if (status === 200) expect(JSON.parse(text)).toMatchObject({ id: veiled, redacted: true })
    else expect([status, JSON.parse(text).code]).toEqual([403, 'above_ceiling'])
  })

  it.each(namingRecords)('reads from $name no word of the record that it names', async (operation) => {
    const key = await issue(trust)
    const { text } = await ask(operation, key, await own(operation), await hide(operation, where))
    expect(text.replaceAll(secretTag, '')).not.toContain(secret)
  })
})

it('the trust checks cover many operations', () => {
  expect([aboutRecords.length > 25, namingRecords.length > 4, reading.length > 5]).toEqual([true, true, true])
  expect(asking.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['retrieve', 'buildContext', 'searchSimilar', 'previewSurprise']),
  )
})
