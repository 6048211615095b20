import { expect, it } from 'vitest'
import type { Precision } from '../../src/domain/vectors/vector-codes.ts'
import { findGroups } from '../../src/dream/clustering/cluster-search.service.ts'
import { listPartitions } from '../../src/dream/clustering/clustering.queries.ts'
import { RunEnded } from '../../src/jobs/runs/runs.ts'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { create } from '../support/requests/record-requests.ts'
import { insertEmbeddingModel, insertVectors } from '../support/stores/insert-vectors.ts'
import { createVectorSource } from '../support/stores/random-vectors.ts'
import { buildNote } from '../support/stores/similar-records.ts'
import type { TestApp } from '../support/test-app.ts'

const openApp = shareTestApp()
const dimensions = 384
const runContext = { throwIfEnded: async () => {} }

/** Creates one record per precision, all about one topic. */
async function openStore(precisions: readonly Precision[]) {
  const app = await openApp()
  const { unit, near } = createVectorSource(17)
  const centre = unit(dimensions)
  const id = await insertEmbeddingModel(app.db, dimensions)
  const ids: string[] = []
  for (const bits of precisions) {
    const record = await create(app, buildNote(`thing ${ids.length}`))
    await insertVectors(app.db, id, [{ id: record.id, vector: near(centre, 0.3), bits }])
    ids.push(record.id)
  }
  return { app, ids, model: { id, provider: 'hash', dimensions } }
}

type Store = Awaited<ReturnType<typeof openStore>>

async function listGroups({ app, model }: Store, more: { maxRecords?: number } = {}): Promise<string[][]> {
  const groups: string[][] = []
  for (const partition of await listPartitions(app.db, null)) {
    for await (const group of findGroups({ db: app.db, context: runContext, model, partition, ...more })) {
      groups.push([...group].sort())
    }
  }
  return groups
}

const alternating = (precisions: readonly Precision[], count: number) =>
  Array.from({ length: count }, (_, nth) => precisions[nth % precisions.length] ?? 32)

it('findGroups finds a group of vectors of any precision', async () => {
  const store = await openStore(alternating([32, 8, 4], 9))
  expect(await listGroups(store)).toEqual([[...store.ids].sort()])
})

it('findGroups leaves out vectors too coarse to show that they are similar', async () => {
  const store = await openStore([32, 32, 2, 32, 8, 8, 2])
  const [group = []] = await listGroups(store)
  const coarse = [store.ids[2], store.ids[6]]
  expect(group.filter((id) => !coarse.includes(id))).toHaveLength(5)
})

it('findGroups searches a large scope in parts and returns each record once', async () => {
  const store = await openStore(alternating([32], 20))
  const groups = await listGroups(store, { maxRecords: 8 })
  const inOrder = [...store.ids].sort()
  expect(groups).toEqual([inOrder.slice(0, 8), inOrder.slice(8, 16)])
})

it('findGroups stops when the run ends', async () => {
  const { app, model }: { app: TestApp; model: Store['model'] } = await openStore(alternating([32], 6))
  const [partition] = await listPartitions(app.db, null)
  if (!partition) throw new Error('nothing to look through')
  const ended = { throwIfEnded: () => Promise.reject(new RunEnded('cancelled')) }
  const search = findGroups({ db: app.db, context: ended, model, partition, checkIntervalMs: 0 })
  await expect(search.next()).rejects.toThrow(RunEnded)
})
