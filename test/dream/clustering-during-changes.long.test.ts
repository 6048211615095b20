import { expect, it } from 'vitest'
import {
  answerBySchema,
  openDreamApp,
  parsePromptDocument,
  readDreamTables,
} from '../support/apps/dream-app.ts'
import { respondWithJson } from '../support/models/chat-server.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import {
  buildNote,
  buildSimilarTexts,
  createSimilarRecords,
  listSummaries,
  readStatuses,
  summarizeByFirst,
} from '../support/stores/similar-records.ts'
import type { TestApp } from '../support/test-app.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

const steps = ['cluster'] as const
const auditFields = { actor: 'ada', rationale: 'meanwhile' }
const all = (count: number, status: string) => Array.from({ length: count }, () => status)

const changes: Record<string, (app: TestApp, id: string) => Promise<unknown>> = {
  'is pinned': (app, id) => app.request('POST', `/v1/records/${id}/pin`, { body: auditFields }),
  'is forgotten': (app, id) => app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=meanwhile`),
  'is retracted': (app, id) => app.request('POST', `/v1/records/${id}/retract`, { body: auditFields }),
  'is erased': (app, id) => app.request('POST', `/v1/records/${id}/erase`, { body: auditFields }),
  'says something else': (app, id) =>
    app.request('POST', `/v1/records/${id}/supersede`, {
      body: {
        ...auditFields,
        record: { ...buildNote('something else'), provenance: { sources: [{ kind: 'event', ref: 'r' }] } },
      },
    }),
}

it.each(Object.keys(changes))(
  'the step cluster leaves a group alone when a source %s during the model call',
  async (name) => {
    const { app, model, dream } = await openDreamApp(undefined, {
      MEMBRANE_TOMBSTONE_KEY: 'a key of the dream tests',
    })
    const ids = await createSimilarRecords(app, buildSimilarTexts('Orion'))
    const [, , moved = '', ...rest] = ids
    model.behave(async (response, seen) => {
      await changes[name]?.(app, moved)
      return respondWithJson({ summary: parsePromptDocument(seen).memories[0].says })(response, seen)
    })
    const { stats } = await dream(steps)
    expect(stats).toMatchObject({ clusters_merged: 0, clusters_rejected: 0, model_calls: 1 })
    expect(await listSummaries(app)).toEqual([])
    expect(await readStatuses(app, rest)).toEqual(all(3, 'active'))
    const before = await readDreamTables(app)
    model.behave(answerBySchema(summarizeByFirst))
    await dream(steps, { dry_run: true })
    expect(await readDreamTables(app)).toEqual(before)
    expect((await dream(steps)).stats).toMatchObject({ clusters_merged: 1, records_merged: 5 })
  },
)

it('the step cluster calls no model in a dry run without ask_model, and writes nothing either way', async () => {
  const { app, dream, listRunChanges, takeModelRequests } = await openDreamApp(
    answerBySchema(summarizeByFirst),
  )
  await createSimilarRecords(app, buildSimilarTexts('Orion'))
  const before = await readDreamTables(app)
  const quiet = await dream(steps, { dry_run: true })
  expect(quiet.stats).toMatchObject({ clusters_merged: 0, cluster_candidates: 1, model_calls: 0 })
  expect(takeModelRequests()).toEqual([])
  const asking = await dream(steps, { dry_run: true, options: { ask_model: true } })
  expect(asking.stats).toMatchObject({ clusters_merged: 1, records_merged: 6, cluster_candidates: 0 })
  expect((await listRunChanges(asking)).filter(({ action }) => action === 'merge')).toHaveLength(6)
  expect(takeModelRequests()).toHaveLength(1)
  expect(await readDreamTables(app)).toEqual(before)
})

it('a summary has the accesses and confirmations of its sources, and their edges lead to it', async () => {
  const { app, dream } = await openDreamApp(answerBySchema(summarizeByFirst))
  const { id: entity } = await create(app, {
    type: 'entity',
    payload: { kind: 'entity', canonical_name: 'Orion', primary_type: 'Project' },
  })
  const relations = [{ predicate: 'subject_entity', target_id: entity }]
  const ids = await createSimilarRecords(app, buildSimilarTexts('Orion'), { relations, confidence: 0.9 })
  for (const id of ids.slice(0, 3)) {
    await app.request('POST', `/v1/records/${id}/access`, { body: { actor: 'ada' } })
  }
  await dream(steps)
  const [summary] = await listSummaries(app)
  const stored = await read(app, summary?.id ?? '')
  expect(stored).toMatchObject({ access_count: 3, confidence: 0.9 })
  const linked = stored.relations.filter(({ predicate }: Body) => predicate === 'subject_entity')
  expect(linked).toMatchObject([{ target_id: entity }])
})

it('the step cluster does not write a summary equal to erased content', async () => {
  const { app, dream, takeModelRequests } = await openDreamApp(answerBySchema(summarizeByFirst), {
    MEMBRANE_TOMBSTONE_KEY: 'a key of the dream tests',
  })
  const ids = await createSimilarRecords(app, buildSimilarTexts('Orion'))
  const text = `release noted ${buildSimilarTexts('Orion')[0]}`
  const same = await create(app, {
    type: 'semantic',
    payload: { kind: 'semantic', subject: 'release', predicate: 'summary', object: text },
  })
  await app.request('POST', `/v1/records/${same.id}/erase`, { body: auditFields })
  await createEmbeddingWorker(app).run()
  expect((await dream(steps)).stats).toMatchObject({ clusters_merged: 0, clusters_rejected: 1 })
  expect(await readStatuses(app, ids)).toEqual(all(6, 'active'))
  takeModelRequests()
  await dream(steps)
  expect(takeModelRequests()).toEqual([])
})
