import { beforeEach, expect, it } from 'vitest'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { perform } from '../support/requests/plan-requests.ts'
import { type Body, fact, payloads } from '../support/requests/record-requests.ts'
import { failOnRow } from '../support/stores/failing-row.ts'
import type { TestApp } from '../support/test-app.ts'
import { createCompressionWorker } from '../support/workers/compression-worker.ts'
import {
  createEmbeddingWorker,
  readEmbeddingQueue,
  readVectors,
} from '../support/workers/embedding-workers.ts'

/** One record that fails must not keep a job from all others, in every run again. */

const openApp = shareTestApp()
let app: TestApp
beforeEach(async () => {
  app = await openApp()
})

const day = 86_400_000

async function createFacts(count: number, more: object = {}): Promise<string[]> {
  const records = Array.from({ length: count }, (_, nth) =>
    fact({ payload: { ...payloads.semantic, object: `fact number ${nth}` }, ...more }),
  )
  const { body } = await app.request('POST', '/v1/records/batch', { body: { records } })
  return (body as Body).results.map(({ record }: Body) => record.id)
}

async function listFailed({ id }: Body): Promise<string[]> {
  const { body } = await app.request('GET', `/v1/maintenance/runs/${id}/changes?limit=500`)
  return (body as Body).items.flatMap((each: Body) => (each.action === 'failed' ? each.record_id : []))
}

it('the purge deletes all other records, and what else has expired', async () => {
  const ids = await createFacts(9)
  for (const id of ids) await app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=old`)
  await app.request('POST', '/v1/records', { body: fact(), headers: { 'idempotency-key': 'a' } })
  app.clock.advance(31 * day)
  const [, , failing = ''] = ids
  await failOnRow(app, { table: 'records', event: 'delete', id: failing })
  const run = await perform(app, 'purge', { job: 'purge' })
  expect(run).toMatchObject({
    status: 'succeeded',
    error: 'records: database error P0001',
    stats: { records: 8, failed: 1, idempotency_keys: 1 },
  })
  expect(await listFailed(run)).toEqual([failing])
})

it('the compression compresses all other vectors', async () => {
  const created_at = new Date(app.clock.now().getTime() - 40 * day).toISOString()
  const ids = await createFacts(9, { layer: 'episodic', created_at })
  await createEmbeddingWorker(app).run()
  const [, , failing = ''] = ids
  await failOnRow(app, { table: 'embeddings', event: 'update', id: failing })
  const run = await createCompressionWorker(app).run()
  expect(run).toMatchObject({ status: 'succeeded', stats: { to_4_bits: 8, failed: 1 } })
  expect(await listFailed(run)).toEqual([failing])
})

it('the embedding stores all other vectors, and tries this one again later', async () => {
  const [, , failing = ''] = await createFacts(9)
  await failOnRow(app, { table: 'embeddings', event: 'insert', id: failing })
  expect(await createEmbeddingWorker(app).run()).toMatchObject({
    status: 'succeeded',
    stats: { embedded: 8, failed: 1 },
  })
  expect(await readVectors(app)).toHaveLength(8)
  expect(await readEmbeddingQueue(app)).toMatchObject([{ record_id: failing, attempts: 1 }])
})

it('the comparison compares all other records', async () => {
  const [, , failing = ''] = await createFacts(9)
  await failOnRow(app, { table: 'surprises', event: 'insert', id: failing })
  expect(await createEmbeddingWorker(app).run()).toMatchObject({ status: 'succeeded' })
  expect(await app.db.selectFrom('surprises').selectAll().execute()).toHaveLength(8)
  expect(await app.db.selectFrom('unsurprised').selectAll().execute()).toEqual([])
})

it('the folding of accesses folds those of all other records', async () => {
  const ids = await createFacts(3)
  const [, , failing = ''] = ids
  for (let nth = 0; nth < 34; nth++) {
    app.clock.advance(day / 4)
    await Promise.all(ids.map((id) => app.request('POST', `/v1/records/${id}/access`)))
  }
  app.clock.advance(100 * day)
  await failOnRow(app, { table: 'access_log', event: 'delete', id: failing })
  const run = await perform(app, 'dream', { job: 'dream', options: { steps: ['prune_logs'] } })
  expect(run).toMatchObject({
    status: 'succeeded',
    error: 'prune_logs: database error P0001',
    stats: { accesses_folded: 4, failed: 1 },
  })
  expect(await listFailed(run)).toEqual([failing])
})
