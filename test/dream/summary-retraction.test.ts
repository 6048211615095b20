import { expect, it } from 'vitest'
import { answerBySchema, shareDreamApp } from '../support/apps/dream-app.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { captureEpisode, consolidate } from '../support/requests/consolidation-requests.ts'
import { type Body, expectProblem, read } from '../support/requests/record-requests.ts'
import { failOnRow } from '../support/stores/failing-row.ts'
import {
  buildSimilarTexts,
  createSimilarRecords,
  listSummaries,
  readStatuses,
  summarizeByFirst,
} from '../support/stores/similar-records.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

const openApp = shareDreamApp({ MEMBRANE_TOMBSTONE_KEY: 'ab'.repeat(32) })
const steps = ['cluster'] as const
const all = (count: number, status: string) => Array.from({ length: count }, () => status)
const reason = { actor: 'ada', rationale: 'it says too little' }

async function openAppWithSummary() {
  const mind = await openApp(answerBySchema(summarizeByFirst))
  const ids = await createSimilarRecords(mind.app, buildSimilarTexts('Orion'))
  await mind.dream(steps)
  const [summary] = await listSummaries(mind.app)
  mind.takeModelRequests()
  return { ...mind, ids, summary: summary?.id ?? '' }
}

it('retracting a summary restores its sources, and later dreams leave them alone', async () => {
  const { app, ids, summary, dream, takeModelRequests } = await openAppWithSummary()
  const retract = () => app.request('POST', `/v1/records/${summary}/retract`, { body: reason })
  expect((await retract()).status).toBe(200)
  expect((await read(app, summary)).status).toBe('invalidated')
  for (const [n, id] of ids.entries()) {
    const source = await read(app, id)
    expect(source).toMatchObject({
      status: 'active',
      payload: { object: buildSimilarTexts('Orion')[n], revision: { status: 'active' } },
    })
    expect(source.salience).toBeGreaterThan(0.4)
    const { body } = await app.request('GET', `/v1/records/${id}/status-history`)
    expect((body as Body).items.at(-1)).toMatchObject({
      old: 'merged',
      new: 'active',
      step: 'revert',
      actor: 'ada',
    })
  }
  const { body: found } = await app.request('POST', '/v1/retrieve', {
    body: { task_descriptor: 'Orion release' },
  })
  expect(JSON.stringify(found)).toContain(ids[0])
  expectProblem(await retract(), 409, 'already_retracted')
  await createEmbeddingWorker(app).run()
  expect((await dream(steps)).stats).toMatchObject({ clusters_merged: 0, cluster_candidates: 0 })
  expect(takeModelRequests()).toEqual([])
  expect(await readStatuses(app, ids)).toEqual(all(6, 'active'))
})

it('a merge can be reverted only by retracting its summary', async () => {
  const { app, ids } = await openAppWithSummary()
  const body = { status: 'active', reason: 'r', actor: 'ada' }
  expectProblem(
    await app.request('POST', `/v1/records/${ids[0]}/status`, { body }),
    409,
    'invalid_transition',
  )
})

it('retracting a record that a client merged does not restore its sources', async () => {
  const { app } = await openApp()
  const ids = await createSimilarRecords(app, buildSimilarTexts('Orion', 2))
  const record = {
    type: 'semantic',
    payload: { kind: 'semantic', subject: 's', predicate: 'p', object: 'o' },
    provenance: { sources: [{ kind: 'event', ref: 'r' }] },
  }
  const { body } = await app.request('POST', '/v1/records/merge', { body: { ids, record, ...reason } })
  const { id } = (body as Body).record
  expect((await app.request('POST', `/v1/records/${id}/retract`, { body: reason })).status).toBe(200)
  expect(await readStatuses(app, ids)).toEqual(all(2, 'merged'))
})

it('erasing a source erases the summary, and the next dream restores the other sources', async () => {
  const { app, ids, summary, dream, listRunChanges } = await openAppWithSummary()
  const [first = '', ...others] = ids
  const erased = await app.request('POST', `/v1/records/${first}/erase`, {
    body: { ...reason, cascade: true },
  })
  expect(erased, erased.text).toMatchObject({ status: 200 })
  expect((erased.body as Body).derived_ids).toEqual([summary])
  expectProblem(await app.request('GET', `/v1/records/${summary}`), 410, 'record_erased')
  expect(await readStatuses(app, others)).toEqual(all(5, 'merged'))
  const run = await dream(steps)
  expect(run.stats.records_unmerged).toBe(5)
  expect(await readStatuses(app, others)).toEqual(all(5, 'active'))
  expect((await listRunChanges(run)).map(({ action }) => action)).toEqual(all(5, 'unmerge'))
  expect((await dream(steps)).stats.records_unmerged).toBe(0)
})

it('a source that cannot be restored keeps neither the others nor the next steps from their work', async () => {
  const { app, ids, dream } = await openAppWithSummary()
  const [first = '', failing = '', ...others] = ids
  await app.request('POST', `/v1/records/${first}/erase`, { body: { ...reason, cascade: true } })
  await failOnRow(app, { table: 'records', event: 'update', id: failing })
  const run = await dream([...steps, 'prune_logs'])
  expect(run).toMatchObject({ status: 'succeeded', stats: { records_unmerged: 4, failed: 1 } })
  expect(await readStatuses(app, others)).toEqual(all(4, 'active'))
})

it('an episode that was merged before consolidation still becomes a fact', async () => {
  const { app, dream } = await openApp(answerBySchema(summarizeByFirst))
  const episodes: Body[] = []
  for (const text of buildSimilarTexts('Orion')) episodes.push(await captureEpisode(app, text))
  await createEmbeddingWorker(app).run()
  expect((await dream(steps)).stats).toMatchObject({ clusters_merged: 1, records_merged: 6 })
  const ids = episodes.map(({ id }) => id)
  expect(await readStatuses(app, ids)).toEqual(all(6, 'merged'))
  app.clock.advance(86_400_000)
  expect((await consolidate(app)).stats).toMatchObject({ semantic_extracted: 6 })
})

it('the laws of the store hold after a merge, its reversal and another dream', async () => {
  const { app, summary, dream } = await openAppWithSummary()
  await app.request('POST', `/v1/records/${summary}/retract`, { body: reason })
  await dream(['cluster', 'forget'])
  expect(await listBrokenLaws(app)).toEqual([])
})
