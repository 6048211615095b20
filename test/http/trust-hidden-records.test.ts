import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  exampleOf,
  namesRecords,
  type Operation,
  operations,
  resolveSchema,
} from '../support/http/openapi-operations.ts'
import { create } from '../support/requests/record-requests.ts'
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts'
import { uuid } from '../support/texts/uuid.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

/**
 * Calls every operation of the published document that takes an id with records that the key may not see, using the
 * document's own example bodies. A new operation is included without a change here.
 */

const secret = 'quetzalcoatlus'
const secretTag = 'tag-quetzalcoatlus'

const aboutRecords = operations.filter(({ path }) => /^\/v1\/(?:records|entities)\/\{id\}/.test(path))
/** The ids in the example of the body. */
const namingRecords = operations.filter((each) => each.name !== 'createKey' && namesRecords(each))
const reading = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'))

/** The member of the body that takes a question, for operations that only read. */
function wordsOf({ method, description, body }: Operation): string | undefined {
  const members = Object.keys(resolveSchema(body?.schema ?? {}).properties ?? {})
  return method === 'POST' && description.includes('Needs `records:read`')
    ? members.find((name) => ['text', 'task_descriptor'].includes(name))
    : undefined
}

/** Operations that compare words with the store. */
const asking = operations.flatMap((each) => {
  const words = wordsOf(each)
  return words === undefined ? [] : [{ ...each, words }]
})

function queryOf({ parameters }: Operation): string {
  const required = parameters.filter((each) => each.in === 'query' && each.required)
  return required.map((each) => `${each.name}=ada`).join('&')
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
  const { method, path } = operation
  const example = exampleOf(operation)
  const query = queryOf(operation)
  const target = path.includes('{target_id}') ? inBody : ''
  const filled = path
    .replace('{id}', inPath)
    .replace('{predicate}', 'supports')
    .replace('{target_id}', target)
  // Only the first of several ids is replaced, as the others must differ from it.
  const body = example && JSON.parse(JSON.stringify(example).replace(new RegExp(uuid.source), inBody))
  return app.request(method, query ? `${filled}?${query}` : filled, { key, ...(body ? { body } : {}) })
}

/** While another transaction changes the record: who waits for it learns that it exists. */
function whileLocked<T>(id: string, work: () => Promise<T>): Promise<T> {
  return app.db.transaction().execute(async (tx) => {
    await sql`select from records where id = ${id}::uuid for update`.execute(tx)
    return work()
  })
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

/** Makes records once for all operations on entities and once for all others, when none of them changes the records. */
function createOnce<Made>(make: (operation: Operation) => Promise<Made>) {
  const made = new Map<boolean, Promise<Made>>()
  return (operation: Operation): Promise<Made> => {
    const isEntity = operation.path.startsWith('/v1/entities')
    const known = made.get(isEntity) ?? make(operation)
    made.set(isEntity, known)
    return known
  }
}

describe.each(keysThatSeeNothing)('a key of %s', (_, trust, where) => {
  let key: string
  beforeAll(async () => {
    key = await issue(trust)
  })
  const ownOnce = createOnce(own)
  const hideOnce = createOnce((operation) => hide(operation, where))
  const makeNeighbours = createOnce(async (operation) => {
    const [near, hidden] = [await own(operation), await hide(operation, where)]
    const body = { predicate: 'supports', target_id: near, rationale: secret, actor: secret }
    await app.request('POST', `/v1/records/${hidden}/relations`, { body })
    return { near, hidden }
  })

  it.each(aboutRecords)(
    'gets the same answer from $name for a hidden record as for a missing one',
    async (operation) => {
      const target = await ownOnce(operation)
      const hidden = await hideOnce(operation)
      const absent = app.ids.next()
      const answer = await whileLocked(hidden, () => ask(operation, key, hidden, target))
      expect(plain(answer)).toEqual(plain(await ask(operation, key, absent, target)))
      expect(answer.status).toBe(404)
      expect(answer.text).not.toContain(secret)
    },
  )

  it.each(namingRecords)(
    'gets the same answer from $name when the body names a hidden record or a missing one',
    async (operation) => {
      const hidden = await hideOnce(operation)
      const absent = app.ids.next()
      const near = await own(operation)
      const answer = await whileLocked(hidden, () => ask(operation, key, near, hidden))
      expect(plain(answer)).toEqual(plain(await ask(operation, key, await own(operation), absent)))
      expect(answer.text).not.toContain(secret)
      expect(answer.status).not.toBe(403)
    },
  )

  it.each(aboutRecords.filter(({ method }) => method === 'GET'))(
    'does not learn of a hidden neighbour from $name',
    async (operation) => {
      const { near, hidden } = await makeNeighbours(operation)
      const { status, text } = await ask(operation, key, near, near)
      expect([status, text.includes(hidden), text.includes(secret)]).toEqual([200, false, false])
    },
  )

  it('gets the same answers to questions whether or not a hidden record has the same text', async () => {
    const counted = (name: string) =>
      ['retrieve', 'buildContext'].includes(name) ? { record_access: false } : {}
    const askAll = () =>
      Promise.all(
        asking.map(async ({ name, path, words }) => {
          const body = { [words]: `${secret} says ${secret} plain`, ...counted(name) }
          return [name, await app.request('POST', path, { key, body })] as const
        }),
      )
    const answersOf = (asked: Awaited<ReturnType<typeof askAll>>) =>
      asked.map(([name, { status, body }]) => [name, status, body])
    const [operation] = aboutRecords.filter(({ path }) => path.startsWith('/v1/records')) as [Operation]
    await own(operation)
    await createEmbeddingWorker(app).run()
    // The serving model is cached for a moment.
    app.clock.advance(2_000)
    const before = await askAll()
    const hidden = await hide(operation, where)
    await createEmbeddingWorker(app).run()
    const after = await askAll()
    for (const [name, { status, text }] of after)
      expect([name, status, text.includes(hidden)]).toEqual([name, 200, false])
    expect(answersOf(after)).toEqual(answersOf(before))
  })

  it.each(reading)('reads no word of a hidden record from $name', async (operation) => {
    const hidden = await hideOnce(operation)
    const { text } = await app.request(operation.method, operation.path, { key })
    // The document of the service names no record.
    expect([text.includes(hidden), text.includes(secret)]).toEqual([false, false])
  })
})

describe('a key one level below a record', () => {
  const trust = { scopes: ['mine'], max_sensitivity: 'medium' }
  const where = { scope: 'mine', sensitivity: 'high' }

  let key: string
  beforeAll(async () => {
    key = await issue(trust)
  })
  const ownOnce = createOnce(own)
  const hideOnce = createOnce((operation) => hide(operation, where))

  it.each(aboutRecords)('learns from $name at most that the record exists', async (operation) => {
    const veiled = await hideOnce(operation)
    const { status, text } = await ask(operation, key, veiled, await ownOnce(operation))
    expect(text.replaceAll(secretTag, '')).not.toContain(secret)
    if (status === 200) expect(JSON.parse(text)).toMatchObject({ id: veiled, redacted: true })
    else expect([status, JSON.parse(text).code]).toEqual([403, 'above_ceiling'])
  })

  it.each(namingRecords)('reads from $name no word of the record that it names', async (operation) => {
    const { text } = await ask(operation, key, await own(operation), await hideOnce(operation))
    expect(text.replaceAll(secretTag, '')).not.toContain(secret)
  })
})

it('the trust checks cover many operations', () => {
  expect([aboutRecords.length > 25, namingRecords.length > 4, reading.length > 5]).toEqual([true, true, true])
  expect(asking.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['retrieve', 'buildContext', 'searchSimilar', 'previewSurprise']),
  )
})
