import { sql } from 'kysely'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { computeCosine } from '../../src/domain/vectors/similarity.ts'
import { decode, type Precision } from '../../src/domain/vectors/vector-codes.ts'
import { chooseBits } from '../../src/embeddings/compression/compression.queries.ts'
import { emptyApp } from '../support/apps/shared-store.ts'
import { type Body, create, fact, payloads } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { createCompressionWorker } from '../support/workers/compression-worker.ts'
import {
  createEmbeddingWorker,
  readEmbeddingQueue,
  readVectors,
} from '../support/workers/embedding-workers.ts'

const day = 86_400_000

const app = await startTestApp({ variables: { MEMBRANE_EMBEDDING_PROVIDER: 'hash' } })
afterAll(() => app.close())
afterEach(() => emptyApp(app))

const nothing = { to_8_bits: 0, to_4_bits: 0, to_2_bits: 0, bytes_saved: 0, to_be_embedded: 0 }
const figuresOf = ({ stats }: { stats: unknown }) => stats

/** Creates a fact from a person this many days ago, in a layer whose importance halves in thirty days. */
const createFactOfAge = (object: string, daysAgo: number, more: object = {}) =>
  create(
    app,
    fact({
      payload: { ...payloads.semantic, object },
      layer: 'episodic',
      created_at: new Date(app.clock.now().getTime() - daysAgo * day).toISOString(),
      ...more,
    }),
  )

async function bitsOf(id: string): Promise<number | undefined> {
  return (await readVectors(app)).find(({ record_id: each }) => each === id)?.bits
}

/** Creates records for every precision, and some whose precision must not change. */
async function createFactsOfAllPrecisions() {
  const ages = { 32: 5, 8: 20, 4: 40, 2: 60 }
  const byBits: Record<string, string> = {}
  for (const [bits, age] of Object.entries(ages)) {
    byBits[bits] = (await createFactOfAge(`the harbour of town ${bits} is closed in winter`, age)).id
  }
  const semantic = await createFactOfAge('the harbour master is called Brook', 60, { layer: 'semantic' })
  const pinned = await createFactOfAge('the harbour is pinned to the wall', 60)
  await app.request('POST', `/v1/records/${pinned.id}/pin`, { body: { actor: 'ada', rationale: 'kept' } })
  await createEmbeddingWorker(app).run()
  return { byBits, kept: [semantic.id, pinned.id] }
}

describe('the precision of a vector', () => {
  it('depends on the retention of its record', async () => {
    const { rows } = await sql<{ bits: number }>`
      select ${chooseBits(sql`retention`)} as bits
      from unnest(array[1, 0.81, 0.8, 0.51, 0.5, 0.21, 0.2, 0]::float8[]) with ordinality as each (retention, place)
      order by place
    `.execute(app.db)
    expect(rows.map(({ bits }) => bits)).toEqual([32, 32, 8, 8, 4, 4, 2, 2])
  })

  it('falls with retention, except for pinned records and layers that never fade', async () => {
    const { byBits, kept } = await createFactsOfAllPrecisions()
    const before = await readVectors(app)
    const run = await createCompressionWorker(app).run()
    expect(run).toMatchObject({ status: 'succeeded', progress: { done: 6, total: 6 } })
    expect(figuresOf(run)).toMatchObject({ to_8_bits: 1, to_4_bits: 1, to_2_bits: 1, to_be_embedded: 0 })
    for (const [bits, id] of Object.entries(byBits)) expect(await bitsOf(id)).toBe(Number(bits))
    for (const id of kept) expect(await bitsOf(id)).toBe(32)
    const after = await readVectors(app)
    expect(after.map(({ signature }) => signature)).toEqual(before.map(({ signature }) => signature))
    const saved = (rows: typeof before) => rows.reduce((sum, { code }) => sum + code.length, 0)
    expect(figuresOf(run)).toMatchObject({ bytes_saved: saved(before) - saved(after) })
    for (const [at, { code, bits, dimensions }] of after.entries()) {
      const full = decode(before[at]?.code ?? Buffer.alloc(0), dimensions, 32)
      const least = { 32: 1, 8: 0.999, 4: 0.97, 2: 0.6 }[bits] ?? 1
      expect(computeCosine(full, decode(code, dimensions, bits as Precision))).toBeGreaterThanOrEqual(
        least - 1e-6,
      )
    }
  })

  it('depends on the instant only, however often the job ran before', async () => {
    const { id: often } = await createFactOfAge('often', 0)
    await createEmbeddingWorker(app).run()
    for (let at = 0; at < 10; at++) {
      app.clock.advance(6 * day)
      await createCompressionWorker(app).run()
    }
    const { id: once } = await createFactOfAge('once', 60)
    await createEmbeddingWorker(app).run()
    await createCompressionWorker(app).run()
    expect([await bitsOf(often), await bitsOf(once)]).toEqual([2, 2])
  })
})

describe('a run of the job compress', () => {
  it('reports in a dry run what it would change, and changes nothing the second time', async () => {
    await createFactsOfAllPrecisions()
    const before = await readVectors(app)
    const rehearsed = await createCompressionWorker(app).run({ dryRun: true })
    expect(await readVectors(app)).toEqual(before)
    expect(figuresOf(rehearsed)).toEqual(figuresOf(await createCompressionWorker(app).run()))
    const once = await readVectors(app)
    expect(figuresOf(await createCompressionWorker(app).run())).toEqual(nothing)
    expect(await readVectors(app)).toEqual(once)
  })

  it('changes only records of its scope', async () => {
    const { id: here } = await createFactOfAge('a thing', 60, { scope: 'here' })
    const { id: there } = await createFactOfAge('a thing', 60, { scope: 'there' })
    await createEmbeddingWorker(app).run()
    await createCompressionWorker(app).run({ scope: 'here' })
    expect([await bitsOf(here), await bitsOf(there)]).toEqual([2, 32])
  })

  it('succeeds without vectors', async () => {
    await createFactOfAge('a thing', 60)
    expect(await createCompressionWorker(app).run()).toMatchObject({ status: 'succeeded', stats: nothing })
  })

  it('is finished by the next run after an interruption in any batch', async () => {
    for (let nth = 1; nth <= 3; nth++) {
      const { byBits } = await createFactsOfAllPrecisions()
      let batches = 0
      const dying = createCompressionWorker(app, {
        observe: (step) => {
          if (step === 'in batch' && ++batches === nth) throw new Error('the power fails')
        },
      })
      const id = await dying.ask()
      await dying.attend()
      app.clock.advance(31_000)
      await createCompressionWorker(app).run()
      expect((await dying.read(id)).status).not.toBe('running')
      for (const [bits, each] of Object.entries(byBits)) expect(await bitsOf(each)).toBe(Number(bits))
    }
  })

  it('compresses each vector once when two workers run', async () => {
    await createFactsOfAllPrecisions()
    const workers = [createCompressionWorker(app), createCompressionWorker(app)] as const
    const ids = [await workers[0].ask(), await workers[1].ask()]
    await Promise.all(workers.map((worker) => worker.attend()))
    const runs = await Promise.all(ids.map((id) => workers[0].read(id)))
    const sum = runs.reduce((all, { stats }) => all + Number((stats as Body)['to_2_bits']), 0)
    expect(sum).toBe(1)
  })
})

describe('a record that is used again', () => {
  it('gets its full vector back from its text', async () => {
    const { byBits } = await createFactsOfAllPrecisions()
    const full = await readVectors(app)
    await createCompressionWorker(app).run()
    const id = byBits[2] ?? ''
    await app.request('POST', `/v1/records/${id}/access`)
    expect(await readEmbeddingQueue(app)).toMatchObject([{ record_id: id }])
    await createEmbeddingWorker(app).run()
    const now = (await readVectors(app)).find(({ record_id: each }) => each === id)
    const before = full.find(({ record_id: each }) => each === id)
    expect([now?.bits, now?.code.equals(before?.code ?? Buffer.alloc(0))]).toEqual([32, true])
    await createCompressionWorker(app).run()
    expect(await bitsOf(id)).toBe(32)
  })

  it('is queued by the job when its use did not queue it', async () => {
    const { byBits } = await createFactsOfAllPrecisions()
    await createCompressionWorker(app).run()
    const id = byBits[4] ?? ''
    await app.request('POST', `/v1/records/${id}/access`)
    await app.db.deleteFrom('unembedded').execute()
    expect(figuresOf(await createCompressionWorker(app).run())).toMatchObject({ to_be_embedded: 1 })
    expect(await readEmbeddingQueue(app)).toMatchObject([{ record_id: id }])
  })

  it('is found among vectors of all precisions', async () => {
    const { byBits } = await createFactsOfAllPrecisions()
    const similar = async (body: object) =>
      ((await app.request('POST', '/v1/search/similar', { body })).body as { items: Body[] }).items
    const question = { text: 'harbour of town 4 closed in winter', limit: 10 }
    const retrieved = async () => {
      const options = { body: { task_descriptor: question.text } }
      return ((await app.request('POST', '/v1/retrieve', options)).body as Body).nodes.map(
        ({ record }: Body) => record.id,
      )
    }
    const before = await similar(question)
    const rankedBefore = await retrieved()
    await createCompressionWorker(app).run()
    const after = await similar(question)
    expect(new Set(after.map(({ record }) => record.id))).toEqual(
      new Set(before.map(({ record }) => record.id)),
    )
    expect(after[0]?.record.id).toBe(byBits[4])
    for (const bits of ['8', '4', '2']) {
      const found = await similar({ record_id: byBits[bits], limit: 10 })
      expect(found).toHaveLength(5)
      expect(found.every(({ similarity }) => similarity >= -1 && similarity <= 1)).toBe(true)
    }
    expect(new Set(await retrieved())).toEqual(new Set(rankedBefore))
  })
})
