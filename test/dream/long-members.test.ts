import { expect, it } from 'vitest'
import { answerBySchema, shareDreamApp } from '../support/apps/dream-app.ts'
import type { Body } from '../support/requests/record-requests.ts'
import {
  buildSimilarTexts,
  createSimilarRecords,
  readStatuses,
  summarizeByFirst,
} from '../support/stores/similar-records.ts'

const openApp = shareDreamApp()
const steps = ['cluster'] as const
const longProvenance = {
  sources: Array.from({ length: 400 }, (_, i) => ({ kind: 'event', ref: `log ${i} `.padEnd(1_000, 'x') })),
}

it('the step cluster leaves a record alone whose provenance is very long', async () => {
  const { app, dream } = await openApp(answerBySchema(summarizeByFirst))
  const texts = buildSimilarTexts('Orion')
  const short = await createSimilarRecords(app, texts.slice(0, 5))
  const long = await createSimilarRecords(app, texts.slice(5), { provenance: longProvenance })
  const { stats } = await dream(steps)
  expect([stats.clusters_merged, stats.records_merged]).toEqual([1, 5])
  expect(await readStatuses(app, [...short, ...long])).toEqual([...short.map(() => 'merged'), 'active'])
})

it('the step cluster lists a group as a candidate when too few of its records are short', async () => {
  const { app, dream, listRunChanges, takeModelRequests } = await openApp(answerBySchema(summarizeByFirst))
  const ids = await createSimilarRecords(app, buildSimilarTexts('Orion'), { provenance: longProvenance })
  const run = await dream(steps)
  expect(run.stats).toMatchObject({ clusters_merged: 0, clusters_rejected: 0, cluster_candidates: 1 })
  expect((await listRunChanges(run)).map(({ action }: Body) => action)).toEqual(['candidate'])
  expect(takeModelRequests()).toEqual([])
  expect(await readStatuses(app, ids)).toEqual(ids.map(() => 'active'))
})
