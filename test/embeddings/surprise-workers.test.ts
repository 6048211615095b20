import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { transact } from '../../src/db/transaction.ts'
import { createHashEmbedder } from '../../src/embeddings/embedders/hash-embedder.ts'
import { createSurpriseComparison } from '../../src/embeddings/surprise/surprise-comparison.service.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { emptyApp } from '../support/apps/shared-store.ts'
import { createSessionEnder } from '../support/processes/end-session.ts'
import { type Body, create, fact, payloads } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { createEmbeddingWorker, createPassWithoutRun } from '../support/workers/embedding-workers.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the comparing tests' } })
afterAll(() => app.close())
afterEach(() => emptyApp(app))

const saying = (object: string, more: object = {}) =>
  fact({ payload: { ...payloads.semantic, object }, base_importance: 0.5, ...more })
const frozen = 'deployments of the billing service are frozen in december'

const log = createLogger({ level: 'silent', clock: systemClock, write: () => {} })

/** Runs the comparison without its polling loop. */
const compare = (signal = new AbortController().signal) =>
  createSurpriseComparison({ clock: app.clock, log }).comparePending({
    scope: null,
    signal,
    inBatch: (work) => transact(app.db, {}, work),
  })
const surprises = () => app.db.selectFrom('surprises').selectAll().orderBy('record_id').execute()
const readQueue = async () => (await app.db.selectFrom('unsurprised').select('record_id').execute()).length
const bases = async () => {
  const found = await app.db
    .selectFrom('records')
    .select(['id', 'base_importance', 'confirmation_count', 'importance'])
    .orderBy('id')
    .execute()
  return found
}

async function writeMany(texts: readonly string[], more: object = {}): Promise<string[]> {
  app.clock.advance(10)
  const records = texts.map((text) => saying(text, more))
  const { body } = await app.request('POST', '/v1/records/batch', { body: { records } })
  return (body as Body).results.map(({ record }: Body) => record.id)
}

describe('two concurrent workers', () => {
  it('compare nothing before earlier records have their vectors', async () => {
    await createPassWithoutRun(app)()
    const [first = ''] = await writeMany([frozen])
    // One worker holds the first text while the other embeds the second and would compare it.
    const slow = createPassWithoutRun(app, {
      ...createHashEmbedder(),
      embed: async (texts) => {
        const [second = ''] = await writeMany([frozen])
        await createPassWithoutRun(app)()
        await compare()
        expect([await surprises(), await readQueue(), second === '']).toEqual([[], 1, false])
        return createHashEmbedder().embed(texts)
      },
    })
    await slow()
    await compare()
    const found = await surprises()
    expect(found.map(({ duplicate_of: of }) => of)).toEqual([null, first])
  })

  it('compare equal records during writes so that one is the first, each once', async () => {
    const texts = Array.from({ length: 12 }, (_, at) => `${frozen} in hall ${at}`)
    const work = async () => {
      for (let round = 0; round < 3; round++) {
        await createPassWithoutRun(app)()
        await compare()
      }
    }
    const written = (async () => [await writeMany(texts), await writeMany(texts, { source_type: 'ai' })])()
    await Promise.all([work(), work(), work(), written])
    await createPassWithoutRun(app)()
    await compare()
    const [first = [], second = []] = await written
    const found = new Map((await surprises()).map((each) => [each.record_id, each]))
    expect([found.size, await readQueue()]).toEqual([2 * texts.length, 0])
    for (const [at, id] of first.entries()) {
      const copyId = second[at] ?? ''
      expect(found.get(copyId)?.duplicate_of).not.toBe(null)
      expect(found.get(copyId)?.neighbours).toEqual(
        expect.arrayContaining([{ id, similarity: expect.any(Number) }]),
      )
    }
    const lost = (await bases()).filter(({ base_importance: base }) => base < 0.5)
    expect(lost.length).toBeGreaterThanOrEqual(texts.length)
    const before = [await surprises(), await bases()]
    await compare()
    expect([await surprises(), await bases()]).toEqual(before)
  })
})

describe('a worker that compares', () => {
  it('may lose its database session before any statement, and the next one completes the work once', async () => {
    const sessionEnder = createSessionEnder(app)
    await writeMany([frozen])
    await createPassWithoutRun(app)()
    const { statements } = await sessionEnder.count(() => compare())
    expect(statements).toBeGreaterThan(8)
    let confirmed = 0
    for (let nth = 1; nth <= statements + 2; nth++) {
      const [id = ''] = await writeMany([frozen], { source_type: 'ai' })
      await createPassWithoutRun(app)()
      await sessionEnder.count(() => compare().catch(() => undefined), nth)
      await compare()
      await compare()
      confirmed++
      const found = (await surprises()).find(({ record_id: each }) => each === id)
      const [origin] = await bases()
      expect([nth, found?.delta, origin?.confirmation_count]).toEqual([nth, -0.35, confirmed])
      expect([await readQueue(), (await surprises()).length]).toEqual([0, nth + 1])
    }
  }, 120_000)

  it('neither waits for embedding workers nor blocks them', async () => {
    await writeMany([frozen])
    await createPassWithoutRun(app)()
    const holder = await app.database.pool.connect()
    try {
      await holder.query('begin')
      await holder.query('select pg_advisory_xact_lock(7350, 12)')
      await compare()
      expect([await readQueue(), await surprises()]).toEqual([1, []])
      await writeMany(['the cat sleeps on the printer'])
      app.clock.advance(61_000)
      expect((await createEmbeddingWorker(app).run()).stats).toMatchObject({ embedded: 1, compared: 0 })
    } finally {
      await holder.query('rollback')
      holder.release()
    }
    await compare()
    expect(await readQueue()).toBe(0)
  })

  it('stops when it is asked to', async () => {
    await writeMany([frozen, `${frozen} too`])
    await createPassWithoutRun(app)()
    const stopping = new AbortController()
    stopping.abort()
    await compare(stopping.signal)
    expect(await readQueue()).toBe(2)
  })
})

describe('an erased record', () => {
  it('leaves the queue and loses its surprise', async () => {
    const [first = '', second = ''] = await writeMany([frozen, frozen])
    await createPassWithoutRun(app)()
    const erase = (id: string) =>
      app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'ada', rationale: 'r' } })
    await erase(second)
    expect(await readQueue()).toBe(1)
    await compare()
    // Equal content would be refused after the erasure.
    const [third = ''] = await writeMany([`${frozen} too`])
    await createPassWithoutRun(app)()
    await compare()
    const explain = async () =>
      ((await app.request('GET', `/v1/records/${third}/explain`)).body as Body).surprise
    const found = await explain()
    expect(found).toMatchObject({ duplicate_of: first, neighbours: [{ id: first }] })
    await erase(first)
    const after = await explain()
    expect(after).toMatchObject({ neighbours: [], delta: found.delta, score: found.score })
    expect(after).not.toHaveProperty('duplicate_of')
    expect((await surprises()).map(({ record_id: id }) => id)).toEqual([third])
    const gone = await app.request('GET', `/v1/records/${first}/explain`)
    expect(gone.body).not.toHaveProperty('surprise')
  })
})

describe('an explanation of surprise', () => {
  it('names no neighbour that the key does not see completely', async () => {
    const [plain = ''] = await writeMany([frozen], { scope: 'mine' })
    const [moved = ''] = await writeMany([`${frozen} again`], { scope: 'mine' })
    const [recordId = ''] = await writeMany([frozen], { scope: 'mine' })
    await createEmbeddingWorker(app).run()
    const key = await app.issueKey(['records:read'], { scopes: ['mine'], max_sensitivity: 'medium' })
    const seen = async () => {
      const { body } = await app.request('GET', `/v1/records/${recordId}/explain`, { key })
      const { neighbours, duplicate_of: of } = (body as Body).surprise
      return [neighbours.map(({ id }: Body) => id), of]
    }
    expect(await seen()).toEqual([[plain, moved], plain])
    await app.request('PATCH', `/v1/records/${moved}`, { body: { scope: 'theirs' } })
    expect(await seen()).toEqual([[plain], plain])
    await app.request('PATCH', `/v1/records/${plain}`, { body: { sensitivity: 'high' } })
    expect(await seen()).toEqual([[], undefined])
  })
})

describe('a scope with many records', () => {
  it('is skipped when it exceeds the search, without delaying others', async () => {
    await writeMany([frozen, frozen, frozen], { scope: 'large' })
    const [small = ''] = await writeMany([frozen], { scope: 'small' })
    await createPassWithoutRun(app)()
    const counts: object[] = []
    await createSurpriseComparison({ clock: app.clock, log, maxInside: 2 }).comparePending({
      scope: null,
      signal: new AbortController().signal,
      inBatch: async (work) => {
        const batch = await transact(app.db, {}, work)
        counts.push({ ...batch.counts })
        return batch
      },
    })
    expect(counts).toEqual([{ compared: 1, duplicates: 0, not_compared: 3 }])
    expect((await surprises()).map(({ record_id: id }) => id)).toEqual([small])
    expect([
      await readQueue(),
      (await bases()).filter(({ base_importance: base }) => base === 0.5),
    ]).toMatchObject([0, { length: 3 }])
  })

  it('is searched like a small one', async () => {
    const texts = Array.from({ length: 520 }, (_, at) => `order ${at} was sent to hall ${(at * 37) % 101}`)
    await writeMany(texts)
    await createEmbeddingWorker(app).run()
    await create(app, saying('order 17 was sent to hall 23'))
    const [id = ''] = await writeMany(['order 450 was sent to hall 86'])
    await createEmbeddingWorker(app).run()
    const { body } = await app.request('GET', `/v1/records/${id}/explain`)
    const similar = await app.request('POST', '/v1/search/similar', { body: { record_id: id, limit: 5 } })
    const nearest = (similar.body as Body).items.map(({ record }: Body) => record.id)
    expect((body as Body).surprise.neighbours.map(({ id: near }: Body) => near)).toEqual(nearest)
  })
})
