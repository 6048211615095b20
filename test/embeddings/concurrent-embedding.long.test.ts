import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { normalise } from '../../src/domain/vectors/similarity.ts'
import { encode } from '../../src/domain/vectors/vector-codes.ts'
import type { Embedder } from '../../src/embeddings/embedders/embedder.ts'
import { createHashEmbedder } from '../../src/embeddings/embedders/hash-embedder.ts'
import { createSessionEnder } from '../support/processes/end-session.ts'
import { create, fact, payloads } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import {
  createEmbeddingWorker,
  createPassWithoutRun,
  readEmbeddingModels,
  readEmbeddingQueue,
  readVectors,
} from '../support/workers/embedding-workers.ts'

let app: TestApp
beforeEach(async () => {
  app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the racing tests' } })
})
afterEach(() => app.close())

const write = (tag: string) => create(app, fact({ tags: [tag] }))
const retag = (id: string, tag: string) =>
  app.request('PATCH', `/v1/records/${id}`, { body: { tags: [tag] } })

async function writeMany(count: number): Promise<string[]> {
  const records = Array.from({ length: count }, (_, n) =>
    fact({ payload: { ...payloads.semantic, object: `number ${n}` } }),
  )
  const { body } = await app.request('POST', '/v1/records/batch', { body: { records } })
  return (body as { results: { record: { id: string } }[] }).results.map(({ record }) => record.id)
}

/** Creates an embedder that hashes, records its texts and calls `onEmbed` before it answers. */
function createRecordingEmbedder(onEmbed: (texts: readonly string[]) => unknown = () => {}) {
  const embedded: string[] = []
  const embedder: Embedder = {
    ...createHashEmbedder(),
    embed: async (texts) => {
      embedded.push(...texts)
      await onEmbed(texts)
      return createHashEmbedder().embed(texts)
    },
  }
  return { embedder, embedded }
}

describe('a record that changes while it is embedded', () => {
  it('stays queued, and no vector of its old text is stored', async () => {
    const { id } = await write('before')
    let isFirst = true
    const { embedder, embedded } = createRecordingEmbedder(async () => {
      if (isFirst) await retag(id, 'after')
      isFirst = false
    })
    await createPassWithoutRun(app, embedder)()
    expect(embedded.map((text) => text.split('\n').at(-1))).toEqual(['before', 'after'])
    const [vector] = await createHashEmbedder().embed(embedded.slice(1))
    if (!vector) throw new Error('no such text')
    expect((await readVectors(app)).map(({ code }) => code)).toEqual([encode(normalise(vector), 32)])
    expect(await readEmbeddingQueue(app)).toEqual([])
  })

  it('is skipped when it was erased', async () => {
    const [{ id }, { id: other }] = [await write('gone'), await write('stays')]
    const { embedder } = createRecordingEmbedder(() =>
      app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'ada', rationale: 'r' } }),
    )
    await createPassWithoutRun(app, embedder)()
    expect((await readVectors(app)).map(({ record_id: each }) => each)).toEqual([other])
    expect(await readEmbeddingQueue(app)).toEqual([])
  })

  it('is skipped and not waited for while it is locked', async () => {
    const [{ id }, { id: other }] = [await write('held'), await write('free')]
    const holder = await app.database.pool.connect()
    try {
      const { embedder } = createRecordingEmbedder(async () => {
        await holder.query('begin')
        await holder.query('select from records where id = $1 for update', [id])
      })
      await createPassWithoutRun(app, embedder)()
    } finally {
      await holder.query('rollback')
      holder.release()
    }
    expect((await readVectors(app)).map(({ record_id: each }) => each)).toEqual([other])
    app.clock.advance(60_000)
    await createPassWithoutRun(app)()
    expect(await readVectors(app)).toHaveLength(2)
  })
})

describe('concurrent embedding workers', () => {
  it('embed each text once', async () => {
    await writeMany(900)
    await writeMany(900)
    const workers = Array.from({ length: 4 }, () => createRecordingEmbedder())
    await Promise.all(workers.map(({ embedder }) => createPassWithoutRun(app, embedder)()))
    const texts = workers.flatMap((worker) => worker.embedded)
    expect([texts.length, new Set(texts).size]).toEqual([1_800, 900])
    expect(await readVectors(app)).toHaveLength(1_800)
    expect(await readEmbeddingQueue(app)).toEqual([])
  })

  it('keep the newer vector when one worker is slower than its claim', async () => {
    const { id } = await write('before')
    const slow = createRecordingEmbedder(async () => {
      app.clock.advance(61_000)
      await retag(id, 'after')
      await createPassWithoutRun(app)()
    })
    await createPassWithoutRun(app, slow.embedder)()
    const [row] = await readVectors(app)
    const kept = row?.code
    await retag(id, 'again')
    await retag(id, 'after')
    await createPassWithoutRun(app)()
    expect((await readVectors(app))[0]?.code).toEqual(kept)
  })

  it('neither deadlock nor lose a text during writes, erasures and a change of model', async () => {
    const ids = await writeMany(200)
    const work = async (pass: () => Promise<unknown>) => {
      for (let round = 0; round < 10; round++) await pass()
    }
    const working = [0, 1, 2].map(() => work(createPassWithoutRun(app)))
    const answers = await Promise.all(
      ids.map(async (id, index) => {
        if (index === 100) {
          // The old workers count as gone and do not know it.
          app.clock.advance(61_000)
          working.push(work(createPassWithoutRun(app, createHashEmbedder(64))))
        }
        return index % 10 === 0
          ? app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'ada', rationale: 'r' } })
          : retag(id, `tag ${index}`)
      }),
    )
    await Promise.all(working)
    expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200))
    app.clock.advance(61_000)
    await createPassWithoutRun(app, createHashEmbedder(64))()
    expect((await readVectors(app)).map(({ dimensions }) => dimensions)).toEqual(Array(180).fill(64))
    expect(await readEmbeddingQueue(app)).toEqual([])
  })
})

describe('an embedding worker whose database session ends', () => {
  it('loses nothing before any statement, and the next worker completes the work', async () => {
    await write('first')
    const sessionEnder = createSessionEnder(app)
    const { statements } = await sessionEnder.count(() => createPassWithoutRun(app)())
    expect(statements).toBeGreaterThan(10)
    for (let nth = 1; nth <= statements; nth++) {
      await app.db.deleteFrom('embedding_models').execute()
      const { id } = await write(`word ${nth}`)
      await sessionEnder.count(() => createPassWithoutRun(app)().catch(() => undefined), nth)
      const isListed = (await readEmbeddingQueue(app)).some(({ record_id: each }) => each === id)
      const isStored = (await readVectors(app)).some(({ record_id: each }) => each === id)
      expect([nth, isListed || isStored]).toEqual([nth, true])
      app.clock.advance(61_000)
      await createPassWithoutRun(app)()
      expect(await readEmbeddingQueue(app)).toEqual([])
      expect(await readVectors(app)).toHaveLength(nth + 1)
      expect(await readEmbeddingModels(app)).toMatchObject([{ serves: true, embeds: true, walked_to: null }])
    }
  }, 120_000)
})

describe('an embedding run that is stopped', () => {
  it('ends after the current batch, and the next run continues', async () => {
    await writeMany(1_000)
    const stopping = new AbortController()
    const { embedder } = createRecordingEmbedder(() => stopping.abort())
    const run = await createEmbeddingWorker(app, embedder).run({ signal: stopping.signal })
    expect(run.status).toBe('queued')
    app.clock.advance(61_000)
    await createPassWithoutRun(app)()
    expect(await readVectors(app)).toHaveLength(1_000)
  })
})
