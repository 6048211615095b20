import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createHashEmbedder } from '../../../src/embeddings/embedders/hash-embedder.ts'
import { createStaticEmbedder } from '../../../src/embeddings/static/static-embedder.service.ts'
import { emptyApp } from '../../support/apps/shared-store.ts'
import { type Body, create } from '../../support/requests/record-requests.ts'
import { buildStatement, listNodeIds, retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../support/test-app.ts'
import {
  createEmbeddingWorker,
  readEmbeddingModels,
  readVectors,
} from '../../support/workers/embedding-workers.ts'

const sentences = {
  physician: 'The physician prescribed antibiotics against an infection.',
  landlord: 'Our landlord raised the rent of the apartment.',
  train: 'The night train to Vienna was cancelled.',
  recipe: 'Her soup needs more salt and a bay leaf.',
}
/** Shares no word with any of the sentences. */
const question = 'Which medicine did a doctor give?'

const app = await startTestApp()
afterAll(() => app.close())
afterEach(() => emptyApp(app))

const store = async (text: string, more: object = {}) => (await create(app, buildStatement(text, more))).id
const embed = () => createEmbeddingWorker(app, createStaticEmbedder()).run()
const ask = (text: string, more: object = {}, key?: string) =>
  retrieve(app, { task_descriptor: text, max_hops: 0, explain: true, record_access: false, ...more }, key)
async function findSimilar(text: string): Promise<Body> {
  const { status, body } = await app.request('POST', '/v1/search/similar', { body: { text } })
  expect(status).toBe(200)
  return body as Body
}
const channelsOf = (answer: Body): string[] =>
  answer.nodes.flatMap(({ signals }: Body) => signals.channels.map(({ channel }: Body) => channel))

async function storeAll() {
  const ids: Record<string, string> = {}
  for (const [name, text] of Object.entries(sentences)) ids[name] = await store(text)
  return ids
}

describe('retrieval by the built-in word meanings', () => {
  it('finds a paraphrase that shares no word with the question', async () => {
    const ids = await storeAll()
    const before = await ask(question)
    expect(channelsOf(before)).not.toContain('vector')
    await embed()
    // The API knows of a new model after a second.
    app.clock.advance(2_000)
    const answer = await ask(question)
    expect(listNodeIds(answer)[0]).toBe(ids['physician'])
    const [vector] = answer.nodes[0].signals.channels
    expect(vector).toMatchObject({ channel: 'vector', rank: 1, weight: 0.2 })
    expect(listNodeIds(answer)).not.toContain(ids['train'])
  })

  it('answers a question whose words have more words of a near meaning than a function of PostgreSQL takes arguments', async () => {
    const long =
      'Which doctor, lawyer, teacher, farmer, soldier, painter, singer, driver, sailor, hunter, baker, tailor, ' +
      'mother, brother, uncle, car, train, boat, bicycle, bread, cheese, apple, river or mountain did she like?'
    const talk = { scope: 'talk', messages: [{ id: 'm1', role: 'user', content: sentences.physician }] }
    expect((await app.request('POST', '/v1/conversations/c/messages', { body: talk })).status).toBe(201)
    const ids = await storeAll()
    expect(listNodeIds(await ask(long))).toContain(ids['physician'])
  })

  it('finds words of a near meaning before the record has its vector', async () => {
    const ids = await storeAll()
    expect(listNodeIds(await ask(question))).toEqual([ids['physician']])
  })

  it('reads a capital inside of the question as a name, which nothing else means', async () => {
    const jewel = await store('The jewel is in the safe.')
    const guest = await store('Pearl arrives at noon.')
    expect(listNodeIds(await ask('When does Pearl arrive?'))).toEqual([guest])
    expect(listNodeIds(await ask('Where did we put the pearl?'))).toEqual([guest, jewel])
  })

  it('searches a pasted page by its own words only', async () => {
    const ids = await storeAll()
    const page = Array.from({ length: 1_000 }, (_, at) => `line${at}`).join(' ')
    expect(listNodeIds(await ask(`soup doctor ${page}`))).toEqual([ids['recipe']])
    const answer = await ask(`${'doctor '.repeat(49)}medicine`)
    expect(listNodeIds(answer)).toEqual([ids['physician']])
  })

  it('puts a record that shares the words of the question first', async () => {
    await storeAll()
    const exact = await store('The doctor gave me a medicine leaflet.')
    await embed()
    expect(listNodeIds(await ask(question))[0]).toBe(exact)
  })

  it('finds nothing by meaning that the key may not read, and gives what it finds the same scores', async () => {
    await storeAll()
    await embed()
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'low' })
    const before = await ask(question, {}, key)
    const hidden = await store('A doctor gave medicine: antibiotics.', { sensitivity: 'high' })
    await embed()
    const scoresOf = ({ nodes }: Body) => nodes.map(({ record, score }: Body) => [record.id, score])
    const after = await ask(question, {}, key)
    expect(scoresOf(after)).toEqual(scoresOf(before))
    expect(listNodeIds(await ask(question))[0]).toBe(hidden)
  })

  it('finds a text of another script by its spelling', async () => {
    await storeAll()
    const id = await store('Ключ от сарая лежит под горшком')
    await embed()
    const { items } = await findSimilar('ключи от сараев лежали под горшками')
    expect(items[0]).toMatchObject({ record: { id } })
    expect(items.slice(1).every(({ similarity }: Body) => similarity < 0.01)).toBe(true)
  })

  it('takes over a store with hashed vectors, which answer until all texts are embedded', async () => {
    const ids = await storeAll()
    await createEmbeddingWorker(app, createHashEmbedder()).run()
    const { items } = await findSimilar(sentences.train)
    expect(items[0].similarity).toBeGreaterThan(0.5)
    app.clock.advance(120_000)
    await embed()
    app.clock.advance(120_000)
    expect(await readEmbeddingModels(app)).toMatchObject([
      { provider: 'hash', serves: false, embeds: false },
      { provider: 'static', model: 'static-v1', dimensions: 320, serves: true, embeds: true },
    ])
    expect(new Set((await readVectors(app)).map(({ model }) => model))).toEqual(new Set(['static-v1']))
    expect(listNodeIds(await ask(question))[0]).toBe(ids['physician'])
  })
})
