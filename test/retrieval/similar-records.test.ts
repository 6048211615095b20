import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeCosine } from '../../src/domain/vectors/similarity.ts'
import { hashEmbedding } from '../../src/embeddings/embedders/feature-hashing.ts'
import { type Body, create, expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import { buildStatement, listNodeIds, retrieve } from '../support/requests/retrieval-requests.ts'
import { insertEmbeddingModel, insertVectors } from '../support/stores/insert-vectors.ts'
import { startTestApp } from '../support/test-app.ts'

const dimensions = 256
const texts = {
  frozen: 'deployments of the billing service are frozen in december',
  thawed: 'deployments of the billing service resume in january',
  cats: 'the office cat sleeps on the printer',
}

const ids: Record<string, string> = {}

async function store(text: string, more: object = {}): Promise<string> {
  const { id } = await create(app, buildStatement(text, more))
  await insertVectors(app.database.db, modelId, [{ id, vector: hashEmbedding(text, dimensions) }])
  return id
}

const similar = (body: object, key?: string): Promise<{ status: number; body: Body }> =>
  app.request('POST', '/v1/search/similar', { body, ...(key === undefined ? {} : { key }) })
const forget = (id: string) => app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=done`)
const found = (body: Body) => body.items.map((item: Body) => item.record.id)

const app = await startTestApp()
const modelId = await insertEmbeddingModel(app.database.db, dimensions)
beforeAll(async () => {
  for (const [name, text] of Object.entries(texts)) ids[name] = await store(text)
})
afterAll(() => app.close())

describe('POST /v1/search/similar', () => {
  it('finds records similar to a text with their cosine, most similar first', async () => {
    const text = 'billing deployments are frozen'
    const { status, body } = await similar({ text })
    expect(status).toBe(200)
    expect(found(body)).toEqual([ids['frozen'], ids['thawed'], ids['cats']])
    const likeness = computeCosine(hashEmbedding(text, dimensions), hashEmbedding(texts.frozen, dimensions))
    expect(body.items[0].similarity).toBeCloseTo(likeness, 5)
  })

  it('leaves out the record that it compares with', async () => {
    const { body } = await similar({ record_id: ids['frozen'], limit: 1 })
    expect(found(body)).toEqual([ids['thawed']])
  })

  it('uses the text of a record that is not embedded yet', async () => {
    const { id } = await create(app, buildStatement('a cat that sleeps on the office printer'))
    const { body } = await similar({ record_id: id, limit: 1 })
    expect(found(body)).toEqual([ids['cats']])
  })

  it('leaves out forgotten, withdrawn and hidden records', async () => {
    const gone = await store(`${texts.cats} today`)
    const withdrawn = await store(`${texts.cats} again`)
    const hidden = await store(`${texts.cats} in secret`, { sensitivity: 'high' })
    const shut = await store(`${texts.cats} elsewhere`, { scope: 'elsewhere' })
    await forget(gone)
    const retracting = { actor: 'ada', rationale: 'wrong' }
    expect((await app.request('POST', `/v1/records/${withdrawn}/retract`, { body: retracting })).status).toBe(
      200,
    )
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'medium', scopes: ['here'] })
    const { body } = await similar({ text: texts.cats }, key)
    expect(found(body)).toContain(ids['cats'])
    for (const id of [gone, withdrawn, hidden, shut]) expect(found(body)).not.toContain(id)
    const narrowed = await similar({ text: texts.cats, trust: { max_sensitivity: 'low' } })
    expect(found(narrowed.body)).not.toContain(hidden)
    expect(found(narrowed.body)).toContain(shut)
  })

  it('answers an empty list for text without words', async () => {
    expect((await similar({ text: '…' })).body).toEqual({ items: [] })
  })

  it('refuses records that are hidden or have no text, and invalid requests', async () => {
    const { id: redacted } = await create(
      app,
      buildStatement('on a need to know basis', { sensitivity: 'high' }),
    )
    const { id: forgotten } = await create(app, buildStatement('soon forgotten'))
    await forget(forgotten)
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'medium' })
    const ask = async (body: object, as?: string) => {
      const { status, body: answer } = await similar(body, as)
      return [status, answer.code]
    }
    expect(await ask({ record_id: redacted }, key)).toEqual([403, 'above_ceiling'])
    expect(await ask({ record_id: redacted, trust: { max_sensitivity: 'medium' } })).toEqual([
      403,
      'above_ceiling',
    ])
    expect(await ask({ record_id: forgotten })).toEqual([410, 'record_forgotten'])
    expect(await ask({ record_id: '00000000-0000-7000-8000-0000000000ff' })).toEqual([
      404,
      'record_not_found',
    ])
    expect(await ask({})).toEqual([422, 'validation_failed'])
    expect(await ask({ text: 'cats', record_id: forgotten })).toEqual([422, 'validation_failed'])
    expect(await ask({ text: 'cats', limit: 0 })).toEqual([422, 'validation_failed'])
  })
})

describe('the vector channel of a retrieval', () => {
  it('finds a record that shares only parts of words with the task', async () => {
    const answer = await retrieve(app, { task_descriptor: 'printing cats', explain: true, max_hops: 0 })
    const node = answer.nodes.find((each: Body) => each.record.id === ids['cats'])
    expect(node.signals.channels.map(({ channel }: Body) => channel)).toContain('vector')
  })

  it('uses a query_embedding of the length of the model', async () => {
    const vector = [...hashEmbedding(texts.thawed, dimensions)]
    const answer = await retrieve(app, { query_embedding: vector, max_hops: 0, explain: true })
    const nearest = answer.nodes.find(({ signals }: Body) =>
      signals.channels.some(({ channel, rank }: Body) => channel === 'vector' && rank === 1),
    )
    expect(nearest.record.id).toBe(ids['thawed'])
    for (const wrong of [vector.slice(1), [...vector, 1], vector.map(() => 1e300)]) {
      const refused = await app.request('POST', '/v1/retrieve', { body: { query_embedding: wrong } })
      expect(refused.status).toBe(422)
      expect(pointersOf(refused)[0]).toBe('/query_embedding')
    }
  })

  it('never ranks a redacted record', async () => {
    const secret = await store('the vault code is written on the calendar', { sensitivity: 'high' })
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'medium' })
    const vector = [...hashEmbedding('the vault code is written on the calendar', dimensions)]
    const answer = await retrieve(app, { query_embedding: vector, max_hops: 0 }, key)
    expect(listNodeIds(answer)).not.toContain(secret)
  })

  it('names withheld matches in the explanation', async () => {
    const id = await store('hummingbirds hover over hibiscus')
    await app.request('POST', `/v1/records/${id}/retract`, { body: { actor: 'ada', rationale: 'wrong' } })
    const vector = [...hashEmbedding('hummingbirds hover over hibiscus', dimensions)]
    const answer = await retrieve(app, { query_embedding: vector, explain: true })
    expect(answer.suppressed.map((each: Body) => each.id)).toContain(id)
    expect(listNodeIds(answer)).not.toContain(id)
  })
})

describe('a server without vectors', () => {
  it('refuses a similarity search and a query_embedding, and retrieves by its other channels', async () => {
    const plain = await startTestApp({ variables: { MEMBRANE_EMBEDDING_PROVIDER: 'none' } })
    try {
      const { id } = await create(plain, buildStatement(texts.cats))
      const refused = await plain.request('POST', '/v1/search/similar', { body: { record_id: id } })
      expectProblem(refused, 409, 'no_vectors')
      const answer = await plain.request('POST', '/v1/retrieve', { body: { query_embedding: [1, 2] } })
      expect(answer.status).toBe(422)
      expect(listNodeIds(await retrieve(plain, { task_descriptor: 'the cat' }))).toEqual([id])
    } finally {
      await plain.close()
    }
  })
})
