import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import {
  buildService,
  buildStatement,
  link,
  listNodeIds,
  retrieve,
} from '../support/requests/retrieval-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const day = 86_400_000

describe('POST /v1/retrieve with a task', () => {
  it('finds a record right after it was stored', async () => {
    const { id } = await create(app, buildStatement('the flamingo gateway listens on port 8443'))
    const answer = await retrieve(app, { task_descriptor: 'Which port does flamingo use?' })
    expect(answer.root_ids[0]).toBe(id)
    expect(answer.nodes[0]).toMatchObject({ root: true, hop: 0, record: { id } })
    expect(answer.nodes[0].signals).toBeUndefined()
    expect(answer.suppressed).toBeUndefined()
  })

  it('finds records about an entity by any of its names', async () => {
    const entity = await create(app, {
      type: 'entity',
      payload: {
        kind: 'entity',
        canonical_name: 'Kingfisher Ledger',
        primary_type: 'Service',
        aliases: [{ value: 'KFL' }],
      },
    })
    const about = await create(app, buildStatement('nightly reconciliation'))
    await link(app, about.id, 'mentions_entity', entity.id)
    const answer = await retrieve(app, {
      task_descriptor: "What is KFL's state?",
      explain: true,
      max_hops: 0,
    })
    expect(answer.root_ids.slice(0, 2)).toEqual([entity.id, about.id])
    const signals = answer.nodes.map((node: Body) => node.signals.channels.map((each: Body) => each.channel))
    expect(signals[1]).toContain('graph')
  })

  it.each([
    [
      'a number',
      Array.from(
        { length: 20 },
        (_, at) => `Host web-${at + 1} has address 10.0.0.${at + 1} in rack ${at + 1}.`,
      ),
      'What is the address of web-3?',
      2,
    ],
    ['a name', ['Anna lives in Berlin.', 'Peter lives in Berlin.'], 'Where does Anna live?', 0],
    [
      'a word',
      ['The password of staging rotates on Monday.', 'The password of production rotates on Friday.'],
      'When does the staging password rotate?',
      0,
    ],
  ])(
    'puts the record with %s of the question before newer records that nearly equal it',
    async (kind, texts, question, asked) => {
      const scope = `asked-${kind}`
      const ids: string[] = []
      for (const text of texts) {
        ids.push((await create(app, buildStatement(text, { scope }))).id)
        app.clock.advance(day)
      }
      const answer = await retrieve(app, { task_descriptor: question, scopes: [scope] })
      expect(answer.root_ids[0]).toBe(ids[asked])
    },
  )

  it('puts the newer of two statements first that answer a question equally', async () => {
    const scope = 'updated'
    const ids: string[] = []
    for (const limit of [300, 250]) {
      const statement = buildStatement(`The bundle limit of the console is ${limit} kB.`, { scope })
      ids.push((await create(app, statement)).id)
      app.clock.advance(day)
    }
    const answer = await retrieve(app, { task_descriptor: 'What is the bundle limit?', scopes: [scope] })
    expect(answer.root_ids).toEqual([ids[1], ids[0]])
  })

  it('gives the same answer each time', async () => {
    const scopes = ['same']
    for (let index = 0; index < 30; index++)
      await create(app, buildStatement('heron heron', { scope: 'same' }))
    const first = await retrieve(app, { task_descriptor: 'heron', scopes, root_limit: 20 })
    expect(first.nodes).toHaveLength(20)
    for (let round = 0; round < 3; round++) {
      const again = await retrieve(app, { task_descriptor: 'heron', scopes, root_limit: 20 })
      expect(listNodeIds(again)).toEqual(listNodeIds(first))
    }
  })

  it('ranks important and fresh records above equal matches', async () => {
    const scopes = ['weights']
    const plain = await create(app, buildStatement('osprey', { scope: 'weights', salience: 0.2 }))
    const fresh = await create(app, buildStatement('osprey', { scope: 'weights', salience: 1 }))
    const answer = await retrieve(app, { task_descriptor: 'osprey', scopes })
    expect(listNodeIds(answer)).toEqual([fresh.id, plain.id])
  })
})

describe('POST /v1/retrieve without a task', () => {
  it('returns the most salient records, with the salience as score', async () => {
    const scopes = ['quiet']
    const slow = { lifecycle: { decay: { half_life_seconds: 30 * 86_400 } } }
    const quick = { lifecycle: { decay: { half_life_seconds: 3_600 } } }
    const lasting = await create(app, buildStatement('a', { scope: 'quiet', salience: 0.6, ...slow }))
    const fleeting = await create(app, buildStatement('b', { scope: 'quiet', salience: 0.9, ...quick }))
    expect(listNodeIds(await retrieve(app, { scopes }))).toEqual([fleeting.id, lasting.id])
    app.clock.advance(day)
    const later = await retrieve(app, { scopes })
    expect(listNodeIds(later)).toEqual([lasting.id, fleeting.id])
    for (const node of later.nodes) expect(node.score).toBeCloseTo(node.record.salience, 12)
  })

  it('needs no body', async () => {
    const answer = await app.request('POST', '/v1/retrieve')
    expect(answer.status).toBe(200)
  })

  it('answers empty lists for an empty scope', async () => {
    expect(await retrieve(app, { scopes: ['nowhere'] })).toEqual({ nodes: [], edges: [], root_ids: [] })
    expect(await retrieve(app, { scopes: ['nowhere'], task_descriptor: 'anything' })).toEqual({
      nodes: [],
      edges: [],
      root_ids: [],
    })
  })
})

describe('POST /v1/retrieve', () => {
  it('refuses unknown fields and values out of range, all at once', async () => {
    const body = { tasks: 'x', root_limit: 0, max_hops: 9, trust: { level: 'low' }, mode: 'facts' }
    const answer = await app.request('POST', '/v1/retrieve', { body })
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer).sort()).toEqual(['/max_hops', '/mode', '/root_limit', '/tasks', '/trust/level'])
  })

  it('names the field that the client meant by a name of another request', async () => {
    const answer = await app.request('POST', '/v1/retrieve', { body: { query: 'x', scope: 'y' } })
    const { errors } = answer.body as { errors: { pointer: string; message: string }[] }
    const meant = errors.map(({ pointer, message }) => [pointer, /did you mean (\w+)\?/.exec(message)?.[1]])
    expect(meant).toEqual([
      ['/query', 'task_descriptor'],
      ['/scope', 'scopes'],
    ])
  })

  it('refuses an instant in the future', async () => {
    const as_of = new Date(app.clock.now().getTime() + 1).toISOString()
    const answer = await app.request('POST', '/v1/retrieve', { body: { as_of } })
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer)).toEqual(['/as_of'])
  })

  it('refuses a query_embedding when no model serves', async () => {
    const body = { task_descriptor: 'x', query_embedding: [0.1, 0.2] }
    const answer = await app.request('POST', '/v1/retrieve', { body })
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer)).toEqual(['/query_embedding'])
  })

  it('requires read permission', async () => {
    const key = await app.issueKey(['records:write'])
    expectProblem(await app.request('POST', '/v1/retrieve', { key, body: {} }), 403, 'forbidden')
  })

  it('accepts any text as the task', async () => {
    for (const text of [
      '"',
      "'; drop",
      '-',
      '- -',
      '"" ""',
      'a & | ! <-> :*',
      '\\',
      '  ',
      '🦜',
      'x'.repeat(9_999),
    ]) {
      await retrieve(app, { task_descriptor: text, explain: true })
    }
  })
})

describe('the selection of a procedure', () => {
  const skill = (name: string, performance?: object) => ({
    type: 'competence',
    scope: 'skills',
    payload: { kind: 'competence', skill_name: name, ...(performance ? { performance } : {}) },
  })

  it('ranks by fit, success and recency, with the lead as confidence', async () => {
    const last_used_at = app.clock.now().toISOString()
    const good = await create(
      app,
      skill('deploy the pelican', { success_count: 9, failure_count: 1, success_rate: 0.9, last_used_at }),
    )
    const poor = await create(
      app,
      skill('deploy the pelican', { success_count: 1, failure_count: 9, success_rate: 0.1, last_used_at }),
    )
    const { selection } = await retrieve(app, { task_descriptor: 'deploy the pelican', scopes: ['skills'] })
    expect(selection.selected).toEqual([good.id, poor.id])
    const best = selection.scores[good.id]
    const next = selection.scores[poor.id]
    expect(selection.confidence).toBeCloseTo((best - next) / best, 12)
    expect(selection.needs_more).toBe(true)
  })

  it('counts an untried procedure as one half, and uses the score as confidence when there is one', async () => {
    const { id } = await create(app, { ...skill('alone'), scope: 'alone' })
    const { selection } = await retrieve(app, { scopes: ['alone'] })
    expect(selection).toEqual({ selected: [id], confidence: 0.5, needs_more: true, scores: { [id]: 0.5 } })
  })

  it('is absent when no procedure was retrieved', async () => {
    await create(app, buildStatement('no procedure', { scope: 'facts only' }))
    expect((await retrieve(app, { scopes: ['facts only'] })).selection).toBeUndefined()
  })
})

describe('an entity name in a task', () => {
  it('is found with any punctuation around it', async () => {
    const entity = await create(app, buildService('src/main.ts'))
    for (const text of ['open src/main.ts.', 'why (src/main.ts)?', '«src/main.ts»', "src/main.ts's owner"]) {
      const answer = await retrieve(app, { task_descriptor: text, explain: true, memory_types: ['entity'] })
      const node = answer.nodes.find((each: Body) => each.record.id === entity.id)
      expect([text, node?.signals.channels.some((each: Body) => each.channel === 'graph')]).toEqual([
        text,
        true,
      ])
    }
  })
})
