import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { writeSearchableText } from '../../src/domain/payloads/searchable-text.ts'
import { decode } from '../../src/domain/vectors/vector-codes.ts'
import { createHashEmbedder } from '../../src/embeddings/embedders/hash-embedder.ts'
import { computeSignature, formatSignature } from '../../src/embeddings/vectors/signature.ts'
import { purgeForgotten } from '../../src/records/index.ts'
import { emptyApp } from '../support/apps/shared-store.ts'
import { capture, triple } from '../support/requests/capture-requests.ts'
import { create, fact, payloads } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import {
  createEmbeddingWorker,
  readEmbeddingModels,
  readEmbeddingQueue,
  readVectors,
} from '../support/workers/embedding-workers.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the embedding tests' } })
afterAll(() => app.close())
afterEach(() => emptyApp(app))

const buildFactSaying = (object: string) => fact({ payload: { ...payloads.semantic, object } })
const patch = (id: string, body: object) => app.request('PATCH', `/v1/records/${id}`, { body })

async function expectVector(id: string, object: string, tags: string[] = []): Promise<void> {
  const [row] = (await readVectors(app)).filter(({ record_id: each }) => each === id)
  if (!row) throw new Error('no vector')
  const text = writeSearchableText({ ...payloads.semantic, object } as never, tags)
  const [expected] = await createHashEmbedder(row.dimensions).embed([text])
  if (!expected) throw new Error('no such text')
  const stored = decode(row.code, row.dimensions, 32)
  expect(Math.max(...stored.map((value, index) => Math.abs(value - (expected[index] ?? 0))))).toBeLessThan(
    1e-6,
  )
  expect(row.signature).toBe(formatSignature(computeSignature(stored)))
}

describe('the job embed', () => {
  it('queues a record when it is written, and stores its vector and signature', async () => {
    const { id } = await create(app, buildFactSaying('Go'))
    expect(await readEmbeddingQueue(app)).toMatchObject([
      { record_id: id, attempts: 0, due_at: app.clock.now() },
    ])
    const { status, stats, progress } = await createEmbeddingWorker(app).run()
    expect([status, stats, progress]).toMatchObject(['succeeded', { embedded: 1 }, { done: 1, total: 1 }])
    await expectVector(id, 'Go')
    expect(await readEmbeddingQueue(app)).toEqual([])
    expect(await readEmbeddingModels(app)).toEqual([
      { provider: 'hash', model: 'hash-v1', dimensions: 256, serves: true, embeds: true, walked_to: null },
    ])
  })

  it('embeds a record that was written while a clock was ahead', async () => {
    await createEmbeddingWorker(app).run()
    app.clock.advance(86_400_000)
    const { id } = await create(app, buildFactSaying('Go'))
    app.clock.advance(-86_400_000)
    expect((await createEmbeddingWorker(app).run()).stats).toMatchObject({ revived: 1, embedded: 1 })
    await expectVector(id, 'Go')
  })

  it('embeds a record again when its text changes, and not when it decays or moves', async () => {
    const { id } = await create(app, buildFactSaying('Go'))
    const worker = createEmbeddingWorker(app)
    await worker.run()
    app.clock.advance(1_000)
    await app.request('POST', `/v1/records/${id}/reinforce`, { body: { actor: 'ada', rationale: 'used' } })
    expect(await readEmbeddingQueue(app)).toEqual([])
    expect((await patch(id, { tags: ['rusty'] })).status).toBe(200)
    expect(await readEmbeddingQueue(app)).toMatchObject([{ record_id: id, due_at: app.clock.now() }])
    await worker.run()
    await expectVector(id, 'Go', ['rusty'])
  })

  it('does not queue a fact again when it is confirmed, because its text stays', async () => {
    const { id } = await create(app, buildFactSaying('Go'))
    await createEmbeddingWorker(app).run()
    const { subject, predicate } = payloads.semantic
    const { fact, primary_record: episode } = await capture(app, triple('Go', { subject, predicate }))
    expect(fact).toEqual({ outcome: 'confirmed', record_id: id })
    const queued = (await readEmbeddingQueue(app)).map((each) => each.record_id)
    expect(queued).toContain(episode.id)
    expect(queued).not.toContain(id)
  })

  it('leaves records queued without an embedder, and embeds them once there is one', async () => {
    const { id } = await create(app, buildFactSaying('Go'))
    const { status, stats } = await createEmbeddingWorker(app, null).run()
    expect([status, stats]).toEqual(['succeeded', {}])
    expect(await readEmbeddingQueue(app)).toHaveLength(1)
    await createEmbeddingWorker(app).run()
    await expectVector(id, 'Go')
  })

  it('stores no vector for a record without text, and removes an old one', async () => {
    const { id } = await create(app, { type: 'episodic', payload: { kind: 'episodic' }, tags: ['word'] })
    const worker = createEmbeddingWorker(app)
    await worker.run()
    expect(await readVectors(app)).toHaveLength(1)
    await patch(id, { tags: ['...'] })
    expect((await worker.run()).stats).toMatchObject({ embedded: 0, without_vector: 1 })
    expect([await readVectors(app), await readEmbeddingQueue(app)]).toEqual([[], []])
  })

  it('embeds forgotten records, because they may be restored', async () => {
    const { id } = await create(app, buildFactSaying('Go'))
    await app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=r`)
    await createEmbeddingWorker(app).run()
    await expectVector(id, 'Go')
  })

  it('embeds only the scope of its run', async () => {
    await create(app, { ...buildFactSaying('Go'), scope: 'one' })
    await create(app, { ...buildFactSaying('Rust'), scope: 'two' })
    expect((await createEmbeddingWorker(app).run({ scope: 'two' })).stats).toMatchObject({ embedded: 1 })
    expect(await readEmbeddingQueue(app)).toHaveLength(1)
  })
})

describe('a dry run of embed', () => {
  it('reports the queue and writes nothing', async () => {
    await create(app, buildFactSaying('Go'))
    for (const worker of [createEmbeddingWorker(app), createEmbeddingWorker(app, null)]) {
      const { status, stats } = await worker.run({ dryRun: true })
      expect([status, stats]).toEqual(['succeeded', { due: 1, waiting: 0, given_up: 0, to_compare: 0 }])
    }
    expect(await readVectors(app)).toEqual([])
    expect(await readEmbeddingQueue(app)).toMatchObject([{ due_at: app.clock.now() }])
  })
})

describe('a record that is removed', () => {
  it('is erased with its vectors, which the receipt counts', async () => {
    const { id } = await create(app, buildFactSaying('Go'))
    await create(app, buildFactSaying('Rust'))
    await createEmbeddingWorker(app).run()
    const { body } = await app.request('POST', `/v1/records/${id}/erase`, {
      body: { actor: 'privacy-desk', rationale: 'asked for' },
    })
    expect(body).toMatchObject({ removed: { records: 1, embeddings: 1 } })
    expect(await readVectors(app)).toHaveLength(1)
    expect(await app.db.selectFrom('signatures').select('record_id').execute()).toHaveLength(1)
  })

  it('is purged with its vectors and its place in the queue', async () => {
    const { id } = await create(app, buildFactSaying('Go'))
    await createEmbeddingWorker(app).run()
    await patch(id, { tags: ['more'] })
    await app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=r`)
    app.clock.advance(31 * 86_400_000)
    expect(await purgeForgotten(app.db, app.clock.now(), 10)).toBe(1)
    expect([await readVectors(app), await readEmbeddingQueue(app)]).toEqual([[], []])
  })

  it('is removed from the embedding queue', async () => {
    const { id } = await create(app, buildFactSaying('Go'))
    await app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'ada', rationale: 'r' } })
    expect(await readEmbeddingQueue(app)).toEqual([])
  })
})
