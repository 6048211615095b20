import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createHashEmbedder } from '../../src/embeddings/embedders/hash-embedder.ts'
import { emptyApp } from '../support/apps/shared-store.ts'
import { type Body, create, fact, payloads, read } from '../support/requests/record-requests.ts'
import { insertEdges } from '../support/stores/insert-edges.ts'
import { startTestApp } from '../support/test-app.ts'
import { createEmbeddingWorker, readVectors } from '../support/workers/embedding-workers.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the surprise tests' } })
afterAll(() => app.close())
afterEach(() => emptyApp(app))

const frozen = 'deployments of the billing service are frozen in december'
const saying = (object: string, more: object = {}) =>
  fact({ payload: { ...payloads.semantic, object }, base_importance: 0.5, ...more })
const write = async (object: string, more: object = {}): Promise<string> => {
  app.clock.advance(10)
  return (await create(app, saying(object, more))).id
}
const run = () => createEmbeddingWorker(app).run()

async function surpriseOf(id: string): Promise<Body> {
  return ((await app.request('GET', `/v1/records/${id}/explain`)).body as Body).surprise
}
const baseOf = async (id: string): Promise<number> => (await read(app, id)).base_importance
const rows = () => app.db.selectFrom('surprises').selectAll().orderBy('record_id').execute()
const readQueue = async () =>
  (await app.db.selectFrom('unsurprised').select('record_id').execute()).map(({ record_id: id }) => id)

describe('the first record of a store', () => {
  it('is a full surprise and gains importance at once', async () => {
    const id = await write(frozen)
    const before = await read(app, id)
    expect((await run()).stats).toMatchObject({ embedded: 1, compared: 1, duplicates: 0 })
    const after = await read(app, id)
    expect(after.base_importance).toBeCloseTo(0.8, 12)
    expect(after.importance - before.importance).toBeCloseTo(0.3 * 0.3, 2)
    expect([after.version, after.updated_at]).toEqual([before.version, before.updated_at])
    expect(await surpriseOf(id)).toEqual({
      at: app.clock.now().toISOString(),
      score: 1,
      delta: 0.3,
      base_before: 0.5,
      neighbours: [],
    })
    const history = await app.request('GET', `/v1/records/${id}/importance-history`)
    expect((history.body as Body).items).toHaveLength(1)
    expect(await readQueue()).toEqual([])
  })

  it('never gains more than the maximum', async () => {
    const id = await write(frozen, { base_importance: 0.95 })
    await run()
    expect(await baseOf(id)).toBe(1)
    expect(await surpriseOf(id)).toMatchObject({ base_before: 0.95, delta: 0.3 })
  })
})

describe('a record equal to an earlier one', () => {
  it('loses importance, and the earlier one does not, in one batch or in two', async () => {
    const pairs = [
      [await write(frozen, { scope: 'one' }), await write(frozen, { scope: 'one' })],
      [await write(frozen, { scope: 'two' })],
    ]
    await run()
    pairs[1]?.push(await write(frozen, { scope: 'two' }))
    await run()
    for (const [first = '', second = ''] of pairs) {
      expect(await baseOf(first)).toBeCloseTo(0.8, 12)
      expect(await baseOf(second)).toBeCloseTo(0.15, 6)
      expect(await surpriseOf(first)).not.toHaveProperty('duplicate_of')
      expect(await surpriseOf(second)).toMatchObject({
        duplicate_of: first,
        delta: -0.35,
        neighbours: [{ id: first, similarity: 1 }],
      })
    }
  })

  it('is found among records of one instant, where the lowest id counts as the first', async () => {
    const records = Array.from({ length: 6 }, () => saying(frozen))
    const { body } = await app.request('POST', '/v1/records/batch', { body: { records } })
    const ids = (body as Body).results.map(({ record }: Body) => record.id).sort()
    expect((await run()).stats).toMatchObject({ compared: 6, duplicates: 5 })
    const found = await rows()
    expect(found.map(({ record_id: id, duplicate_of: of }) => [id, of !== null])).toEqual(
      ids.map((id: string, at: number) => [id, at > 0]),
    )
  })

  it('is found at any stored precision of the earlier vector', async () => {
    const precisions = [8, 4, 2] as const
    const writeEach = () => Promise.all(precisions.map((bits) => write(frozen, { scope: `bits ${bits}` })))
    const firsts = await writeEach()
    await run()
    for (const [at, bits] of precisions.entries()) await coarsen(firsts[at] ?? '', bits)
    const seconds = await writeEach()
    await run()
    for (const [at, id] of seconds.entries())
      expect(await surpriseOf(id)).toMatchObject({ duplicate_of: firsts[at], delta: -0.35 })
  })
})

async function coarsen(id: string, bits: 8 | 4 | 2): Promise<void> {
  const { decode, encode } = await import('../../src/domain/vectors/vector-codes.ts')
  const [row] = (await readVectors(app)).filter(({ record_id: each }) => each === id)
  if (!row) throw new Error('no vector')
  const code = encode(decode(row.code, row.dimensions, 32), bits)
  await app.db.updateTable('embeddings').set({ bits, code }).where('record_id', '=', id).execute()
}

describe('a duplicate', () => {
  const confirmations = async (id: string) => (await read(app, id)).confirmation_count

  it('from another source confirms the record once and raises its importance', async () => {
    const first = await write(frozen)
    await run()
    const before = (await read(app, first)).importance
    for (const [source, count] of [
      ['ai', 1],
      ['human', 1],
      ['ingest', 2],
    ] as const) {
      await write(frozen, { source_type: source })
      await run()
      await run()
      expect([source, await confirmations(first)]).toEqual([source, count])
    }
    expect((await read(app, first)).importance).toBeGreaterThan(before)
  })

  it('is from another source when its author differs', async () => {
    const buildSource = (name: string, ref = 'r') => ({
      provenance: { sources: [{ kind: 'event', ref, created_by: name }] },
    })
    const first = await write(frozen, buildSource('ada'))
    await write(frozen, buildSource('ada', 'another'))
    await run()
    expect(await confirmations(first)).toBe(0)
    await write(frozen, buildSource('grace'))
    await run()
    expect(await confirmations(first)).toBe(1)
    await write(frozen, { provenance: { sources: [{ kind: 'event', ref: 'nobody knows' }] } })
    await run()
    expect(await confirmations(first)).toBe(1)
  })

  it('that was derived from the record does not confirm it', async () => {
    const first = await write(frozen)
    const second = await write(frozen, { source_type: 'ai' })
    await insertEdges(app, ['derived_from', 'derives'], [[second, first]])
    await run()
    expect(await surpriseOf(second)).toMatchObject({ duplicate_of: first })
    expect(await confirmations(first)).toBe(0)
  })

  it('of higher sensitivity does not confirm the record', async () => {
    const first = await write(frozen, { sensitivity: 'low' })
    const second = await write(frozen, { sensitivity: 'high', source_type: 'ai' })
    // A local embedder also reads sensitive texts.
    await run()
    expect(await surpriseOf(second)).toMatchObject({ duplicate_of: first })
    expect(await confirmations(first)).toBe(0)
  })
})

describe('a pinned record', () => {
  it('keeps its base importance, is not confirmed, and is not queued', async () => {
    const lifecycle = { pinned: true }
    const first = await write(frozen, { lifecycle })
    const second = await write(frozen, { lifecycle, source_type: 'ai' })
    const before = [await read(app, first), await read(app, second)]
    await run()
    expect([await read(app, first), await read(app, second)]).toEqual(before)
    expect(await surpriseOf(second)).toMatchObject({ duplicate_of: first, delta: 0, base_before: 0.5 })
    expect(await readQueue()).toEqual([])
  })
})

describe('a record is compared once', () => {
  it('even when its text or the model changes later', async () => {
    const first = await write(frozen)
    await write(frozen, { source_type: 'ai' })
    await run()
    const before = await rows()
    const base = await baseOf(first)
    const record = await read(app, first)
    await app.request('PATCH', `/v1/records/${first}`, { body: { tags: ['new', 'words'] } })
    await run()
    await app.request('PATCH', `/v1/records/${first}`, { body: { tags: [] } })
    await run()
    app.clock.advance(61_000)
    const other = createEmbeddingWorker(app, createHashEmbedder(64))
    await other.run()
    await other.run()
    expect((await readVectors(app)).map(({ dimensions }) => dimensions)).toEqual([64, 64])
    expect(await rows()).toEqual(before)
    expect([await baseOf(first), await readQueue()]).toEqual([base, []])
    expect((await read(app, first)).confirmation_count).toBe(record.confirmation_count)
  })

  it('and not while one model replaces another', async () => {
    await write(frozen)
    await run()
    app.clock.advance(61_000)
    const second = await write(frozen)
    await createEmbeddingWorker(app, createHashEmbedder(64)).run()
    expect(await surpriseOf(second)).toMatchObject({ delta: -0.35 })
  })

  it('and not when its vector is gone', async () => {
    const id = await write(frozen)
    await run()
    await app.db.deleteFrom('surprises').execute()
    await app.db.deleteFrom('embeddings').execute()
    await app.db
      .insertInto('unsurprised')
      .values({ record_id: id, created_at: app.clock.now(), asked_at: app.clock.now() })
      .execute()
    await run()
    expect([await rows(), await readQueue()]).toEqual([[], []])
  })
})

describe('a dry run', () => {
  it('reports how many records would be compared', async () => {
    const id = await write(frozen)
    await run()
    await app.db.deleteFrom('surprises').execute()
    await app.db
      .insertInto('unsurprised')
      .values({ record_id: id, created_at: app.clock.now(), asked_at: app.clock.now() })
      .execute()
    expect((await createEmbeddingWorker(app).run({ dryRun: true })).stats).toEqual({
      due: 0,
      waiting: 0,
      given_up: 0,
      to_compare: 1,
    })
    expect(await rows()).toEqual([])
  })
})
