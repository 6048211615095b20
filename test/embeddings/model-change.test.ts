import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { emptyApp } from '../support/apps/shared-store.ts'
import { type ChatServer, startChatServer } from '../support/models/chat-server.ts'
import { failOnText, parseEmbeddingRequest, respondWithVectors } from '../support/models/embedding-server.ts'
import { create, fact } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import {
  createEmbeddingWorker,
  createPassWithoutRun,
  createServerEmbedder,
  readEmbeddingModels,
  readEmbeddingQueue,
  readVectors,
} from '../support/workers/embedding-workers.ts'

let app: TestApp
let server: ChatServer
beforeAll(async () => {
  await import('../../src/llm/client.ts')
  app = await startTestApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  server = await startChatServer(respondWithVectors())
})
afterEach(() => Promise.all([server.close(), emptyApp(app)]))

const minute = 60_000
const write = (...tags: string[]) => create(app, fact({ tags }))
const retag = (id: string, tag: string) =>
  app.request('PATCH', `/v1/records/${id}`, { body: { tags: [tag] } })
const hashing = () => createEmbeddingWorker(app)
const asking = () => createEmbeddingWorker(app, createServerEmbedder(app, server.url))
const served = async () => (await readEmbeddingModels(app)).find(({ serves }) => serves)?.model
const modelsOf = async (id: string) =>
  (await readVectors(app)).filter(({ record_id: each }) => each === id).map(({ model }) => model)

describe('a change of the embedding model', () => {
  it('serves the old vectors until the new model has embedded everything, and then deletes them', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push((await write(n === 3 ? 'poison' : 'word')).id)
    await hashing().run()
    app.clock.advance(2 * minute)
    server.behave(failOnText((text) => text.includes('poison')))
    await asking().run()
    // One text has a retry left.
    expect(await served()).toBe('hash-v1')
    expect(await readVectors(app)).toHaveLength(9)
    expect(await modelsOf(ids[3] ?? '')).toEqual(['hash-v1'])
    app.clock.advance(minute)
    server.behave(respondWithVectors())
    await asking().run()
    expect(await served()).toBe('m1')
    expect((await readVectors(app)).map(({ model, dimensions }) => [model, dimensions])).toEqual(
      Array(5).fill(['m1', 16]),
    )
    expect(await readEmbeddingModels(app)).toMatchObject([
      { model: 'hash-v1', serves: false, embeds: false, walked_to: null },
      { model: 'm1', serves: true, embeds: true, walked_to: null },
    ])
  })

  it('does not wait for texts that were given up', async () => {
    await write('poison')
    await hashing().run()
    app.clock.advance(2 * minute)
    server.behave(failOnText((text) => text.includes('poison')))
    for (let attempt = 0; attempt < 8; attempt++) {
      await asking().run()
      app.clock.advance(20 * minute)
    }
    expect(await served()).toBe('m1')
    expect(await readVectors(app)).toEqual([])
  })

  it('retries what the old model gave up', async () => {
    await write('poison')
    server.behave(failOnText((text) => text.includes('poison')))
    await app.db.updateTable('unembedded').set({ attempts: 7 }).execute()
    await asking().run()
    app.clock.advance(2 * minute)
    expect((await hashing().run()).stats).toMatchObject({ embedded: 1 })
  })

  it('embeds changes during the change once, and keeps no vector of an old text', async () => {
    const { id } = await write('before')
    await write('poison')
    await hashing().run()
    app.clock.advance(2 * minute)
    server.behave(failOnText((text) => text.includes('poison')))
    await asking().run()
    expect(await modelsOf(id)).toEqual(['hash-v1', 'm1'])
    app.clock.advance(1_000)
    await retag(id, 'after')
    const { id: newId } = await write('meanwhile')
    server.requests.length = 0
    await asking().run()
    const texts = server.requests
      .flatMap((seen) => parseEmbeddingRequest(seen).input)
      .filter((text) => text !== 'memory')
    expect(texts.map((text) => text.split('\n').at(-1)).sort()).toEqual(['after', 'meanwhile'])
    expect([await modelsOf(id), await modelsOf(newId), await served()]).toEqual([['m1'], ['m1'], 'hash-v1'])
  })

  it('that is reverted embeds only what was written since', async () => {
    await write('old')
    await hashing().run()
    app.clock.advance(2 * minute)
    server.behave(failOnText((text) => text.includes('old')))
    await asking().run()
    await write('new')
    await asking().run()
    app.clock.advance(2 * minute)
    expect((await hashing().run()).stats).toMatchObject({ embedded: 2 })
    expect((await hashing().run()).stats).toMatchObject({ embedded: 0 })
    expect((await readVectors(app)).map(({ model }) => model)).toEqual(['hash-v1', 'hash-v1'])
    expect(await readEmbeddingModels(app)).toMatchObject([
      { model: 'hash-v1', serves: true, embeds: true },
      { model: 'm1', serves: false, embeds: false, walked_to: null },
    ])
  })

  it('continues over more records than one step takes', async () => {
    const { id } = await write('word')
    await app.db.deleteFrom('unembedded').execute()
    await fillRecords(id, 5_050)
    expect((await asking().run()).stats).toMatchObject({ embedded: 102 })
    expect(await readEmbeddingModels(app)).toMatchObject([{ serves: true, walked_to: null }])
    expect(await readEmbeddingQueue(app)).toEqual([])
  })
})

/**
 * Inserts copies of one record that the queue does not know, as if they were older than it. A model on a server may
 * read every fiftieth.
 */
async function fillRecords(id: string, count: number): Promise<void> {
  const { rows } = await app.database.pool.query<{ column_name: string }>(
    `select column_name from information_schema.columns
     where table_name = 'records' and is_generated = 'NEVER' and column_name <> 'id'`,
  )
  const columns = rows.map(({ column_name: name }) => `"${name}"`)
  const copies = columns.map((name) =>
    name === '"sensitivity"' ? "case when n % 50 = 0 then sensitivity else 'hyper' end" : name,
  )
  await app.database.pool.query(
    `with copied as (
       insert into records (id, ${columns.join()})
       select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ${copies.join()}
       from records, generate_series(1, $2::int) as n where id = $1 returning id
     )
     insert into contents (record_id, tags, payload, provenance, search)
     select copied.id, c.tags, c.payload, c.provenance, c.search from copied, contents as c where c.record_id = $1`,
    [id, count],
  )
}

describe('workers with different models', () => {
  it('do not alternate: the first keeps its model and the other waits', async () => {
    await write('one')
    const [old, young] = [hashing(), asking()]
    await old.run()
    for (let round = 0; round < 2; round++) {
      await write(`round ${round}`)
      expect((await young.run()).stats).toEqual({})
      expect((await asking().run()).stats).toEqual({})
      app.clock.advance(minute / 2)
      expect((await hashing().run()).stats).toMatchObject({ embedded: 1 })
    }
    expect(await readEmbeddingModels(app)).toMatchObject([{ model: 'hash-v1', embeds: true, serves: true }])
    expect(young.lines.filter((line) => line.includes('another embedding configuration'))).toHaveLength(1)
  })

  it('switch once the last old worker has been gone for a minute', async () => {
    await write('one')
    await hashing().run()
    app.clock.advance(minute - 1)
    expect((await asking().run()).stats).toEqual({})
    app.clock.advance(1)
    expect((await asking().run()).stats).toMatchObject({ embedded: 1 })
    expect((await hashing().run()).stats).toEqual({})
    expect(await served()).toBe('m1')
  })

  it('switch at once when the last old worker has stopped', async () => {
    await write('one')
    const [first, second, waiting] = [hashing(), hashing(), asking()]
    for (const { run } of [first, second, waiting]) await run()
    for (const leaving of [first, waiting]) {
      await leaving.watch().stop()
      expect((await asking().run()).stats).toEqual({})
    }
    await second.watch().stop()
    expect((await asking().run()).stats).toMatchObject({ embedded: 1 })
    expect(await served()).toBe('m1')
    expect((await hashing().run()).stats).toEqual({})
  })

  it('wait for a worker that ended without stopping, also when another one stops', async () => {
    await write('one')
    await hashing().run()
    app.clock.advance(minute / 2)
    const last = hashing()
    await last.run()
    await last.watch().stop()
    app.clock.advance(minute / 2 - 1)
    expect((await asking().run()).stats).toEqual({})
    app.clock.advance(1)
    expect((await asking().run()).stats).toMatchObject({ embedded: 1 })
  })

  it('may differ in the highest sensitivity, and records become due when it rises', async () => {
    await create(app, { ...fact({ tags: ['secret'] }), sensitivity: 'high' })
    await asking().run()
    expect(await readVectors(app)).toEqual([])
    const trusted = () => createEmbeddingWorker(app, createServerEmbedder(app, server.url), 'high')
    expect((await trusted().run()).stats).toEqual({})
    app.clock.advance(2 * minute)
    expect((await trusted().run()).stats).toMatchObject({ embedded: 1 })
    expect(await readEmbeddingModels(app)).toMatchObject([{ model: 'm1', serves: true }])
  })

  it('that start at once leave one model in place', async () => {
    const one = () => createPassWithoutRun(app)
    const other = () => createPassWithoutRun(app, createServerEmbedder(app, server.url))
    await write('one')
    await Promise.all([one(), other(), one(), other(), one(), other()].map((pass) => pass()))
    expect(await readEmbeddingModels(app)).toMatchObject([{ embeds: true, serves: true }])
    expect(await readVectors(app)).toHaveLength(1)
  })
})

describe('an embedding server that changes its model under the same name', () => {
  it('is detected by the dimensions, and changes the model once no old worker is left', async () => {
    await write('one')
    const worker = asking()
    await worker.run()
    server.behave(respondWithVectors({ dimensions: 24 }))
    await write('two')
    expect((await worker.run()).status).toBe('failed')
    app.clock.advance(2 * minute)
    await asking().run()
    expect(await readEmbeddingModels(app)).toMatchObject([
      { model: 'm1', dimensions: 16, serves: false },
      { model: 'm1', dimensions: 24, serves: true },
    ])
    expect((await readVectors(app)).map(({ dimensions }) => dimensions)).toEqual([24, 24])
  })
})
