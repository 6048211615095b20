import { afterAll, describe, expect, it } from 'vitest'
import { hashEmbedding } from '../../../src/embeddings/embedders/feature-hashing.ts'
import { type Body, create } from '../../support/requests/record-requests.ts'
import { buildStatement, listNodeIds, retrieve } from '../../support/requests/retrieval-requests.ts'
import { insertEmbeddingModel, insertVectors } from '../../support/stores/insert-vectors.ts'
import { startTestApp } from '../../support/test-app.ts'

const dimensions = 256
const auditFields = { actor: 'ada', rationale: 'tested' }
const about = 'the greenhouse is heated by compost'
const vector = [...hashEmbedding(about, dimensions)]

const app = await startTestApp()
const modelId = await insertEmbeddingModel(app.database.db, dimensions)
afterAll(() => app.close())

async function store(text: string, more: object = {}): Promise<string> {
  const { id } = await create(app, buildStatement(text, more))
  await insertVectors(app.database.db, modelId, [{ id, vector: hashEmbedding(text, dimensions) }])
  return id
}
const ask = (more: object, key?: string) =>
  retrieve(app, { query_embedding: vector, max_hops: 0, root_limit: 100, node_limit: 100, ...more }, key)
const foundByVector = (answer: Body): string[] =>
  answer.nodes
    .filter(({ signals }: Body) => signals.channels.some(({ channel }: Body) => channel === 'vector'))
    .map(({ record }: Body) => record.id)

describe('retrieval with a query_embedding', () => {
  it('finds past records with their state as of an instant', async () => {
    const scopes = ['past']
    const early = await store(about, { scope: 'past' })
    app.clock.advance(1_000)
    const as_of = app.clock.now().toISOString()
    app.clock.advance(1_000)
    const late = await store(about, { scope: 'past' })
    const body = { ...auditFields, rationale: 'wrong' }
    expect((await app.request('POST', `/v1/records/${early}/retract`, { body })).status).toBe(200)
    expect(foundByVector(await ask({ scopes, as_of, explain: true }))).toEqual([early])
    expect(foundByVector(await ask({ scopes, explain: true }))).toEqual([late])
  })

  it('finds challenged records only when they are requested', async () => {
    const scopes = ['doubt']
    const id = await store(about, { scope: 'doubt' })
    const body = { status: 'challenged', reason: 'doubtful', actor: 'ada' }
    expect((await app.request('POST', `/v1/records/${id}/status`, { body })).status).toBe(200)
    expect(listNodeIds(await ask({ scopes }))).toEqual([])
    expect(listNodeIds(await ask({ scopes, include_status: ['challenged'] }))).toEqual([id])
    const { suppressed } = await ask({ scopes, explain: true })
    expect(suppressed).toEqual([{ id, reason: 'status', status: 'challenged' }])
  })

  it('respects each filter and leaves out forgotten records', async () => {
    const scope = 'filters'
    const id = await store(about, { scope, tags: ['warm'] })
    await store(about, { scope })
    const gone = await store(about, { scope, tags: ['warm'] })
    await app.request('DELETE', `/v1/records/${gone}?actor=ada&rationale=done`)
    expect(listNodeIds(await ask({ scopes: [scope], tags: ['warm'] }))).toEqual([id])
    expect(listNodeIds(await ask({ scopes: [scope], memory_types: ['episodic'] }))).toEqual([])
    expect(listNodeIds(await ask({ scopes: [scope], min_salience: 2 }))).toEqual([])
  })

  it('finds a record beyond any number of nearer hidden ones', async () => {
    const hidden = Array.from({ length: 30 }, (_, nth) =>
      store(about, nth % 2 ? { scope: 'crowd', sensitivity: 'high' } : { scope: 'crowd elsewhere' }),
    )
    await Promise.all(hidden)
    const id = await store('a greenhouse of glass', { scope: 'crowd' })
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'low', scopes: ['crowd'] })
    expect(foundByVector(await ask({ explain: true, scopes: ['crowd'] }, key))).toEqual([id])
  })

  it('orders equally near records by id, the same each time', async () => {
    const scopes = ['equals']
    const ids = []
    for (let nth = 0; nth < 5; nth++) ids.push(await store(about, { scope: 'equals' }))
    const answer = await ask({ scopes, explain: true })
    const ranks = answer.nodes.map(({ record, signals }: Body) => [
      record.id,
      signals.channels.find(({ channel }: Body) => channel === 'vector').rank,
    ])
    expect(Object.fromEntries(ranks)).toEqual(Object.fromEntries(ids.sort().map((id, at) => [id, at + 1])))
    expect(listNodeIds(await ask({ scopes }))).toEqual(listNodeIds(answer))
  })

  it('finds the most salient records when the vector has length zero', async () => {
    const id = await store(about, { scope: 'nowhere' })
    const zero = vector.map(() => 0)
    const answer = await ask({ scopes: ['nowhere'], query_embedding: zero, explain: true })
    expect([listNodeIds(answer), foundByVector(answer)]).toEqual([[id], []])
  })

  it('gives vectors a fifth of the weight of words', async () => {
    await store(about, { scope: 'weights' })
    const { nodes } = await ask({ scopes: ['weights'], task_descriptor: 'how is it heated?', explain: true })
    const placement = nodes[0].signals.channels.find(({ channel }: Body) => channel === 'vector')
    expect(placement).toMatchObject({ rank: 1, weight: 0.2, contribution: 0.2 })
  })
})
