import { expect, it } from 'vitest'
import {
  answerBySchema,
  openDreamApp,
  parsePromptDocument,
  readDreamTables,
  shareDreamApp,
} from '../support/apps/dream-app.ts'
import { respond } from '../support/models/chat-server.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import {
  buildNote,
  buildSimilarTexts,
  createSimilarRecords,
  listSummaries,
  readStatuses,
  summarizeByFirst,
} from '../support/stores/similar-records.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

const steps = ['cluster'] as const
const openApp = shareDreamApp()
const all = (count: number, status: string) => Array.from({ length: count }, () => status)
const figuresOf = ({ stats }: Body) => [
  stats.clusters_merged,
  stats.records_merged,
  stats.clusters_rejected,
  stats.cluster_candidates,
]

it('the step cluster merges nearly equal records into the model’s summary and keeps them readable', async () => {
  const { app, dream, listRunChanges, takeModelRequests } = await openApp(answerBySchema(summarizeByFirst))
  const ids = await createSimilarRecords(app, buildSimilarTexts('Orion'), { tags: ['builds'], scope: 'team' })
  const other = await create(app, buildNote('nobody knows why the lights are green', { scope: 'team' }))
  await createEmbeddingWorker(app).run()
  const run = await dream(steps)
  expect(figuresOf(run)).toEqual([1, 6, 0, 0])
  const [summary] = await listSummaries(app)
  const stored = await read(app, summary?.id ?? '')
  const [firstText = ''] = takeModelRequests().map(
    (question) => parsePromptDocument(question).memories[0].says,
  )
  expect(stored).toMatchObject({
    type: 'semantic',
    status: 'active',
    scope: 'team',
    sensitivity: 'low',
    source_type: 'dream',
    tags: ['summary', 'builds'],
    payload: {
      subject: 'release',
      predicate: 'summary',
      object: firstText,
    },
  })
  expect(stored.relations.map(({ predicate, target_id: id }: Body) => [predicate, id]).sort()).toEqual(
    ids.map((id) => ['derived_from', id]).sort(),
  )
  for (const [n, id] of ids.entries()) {
    const source = await read(app, id)
    expect(source).toMatchObject({
      status: 'merged',
      salience: 0,
      payload: { object: buildSimilarTexts('Orion')[n] },
    })
  }
  expect((await read(app, other.id)).status).toBe('active')
  const actions = (await listRunChanges(run)).map(({ action }) => action).sort()
  expect(actions).toEqual(['create', ...all(6, 'merge')])
})

it('the step cluster makes no model call and writes nothing when the store did not change', async () => {
  const { app, dream, takeModelRequests } = await openApp(answerBySchema(summarizeByFirst))
  await createSimilarRecords(app, buildSimilarTexts('Orion'))
  await dream(steps)
  await createEmbeddingWorker(app).run()
  takeModelRequests()
  const before = await readDreamTables(app)
  expect(figuresOf(await dream(steps))).toEqual([0, 0, 0, 0])
  expect(figuresOf(await dream(steps))).toEqual([0, 0, 0, 0])
  expect(takeModelRequests()).toEqual([])
  expect(await readDreamTables(app)).toEqual(before)
})

it.each([
  ['made up a name', { summary: 'the release of Orion is built by Jenkins on 12 nodes for Gwendolyn' }],
  ['said it elsewhere', { text: 'the release of Orion is built by Jenkins on 12 nodes' }],
])('the step cluster merges nothing and does not ask again when the model %s', async (_, answer) => {
  const { app, dream, listRunChanges, takeModelRequests } = await openApp(answerBySchema({ summary: answer }))
  const ids = await createSimilarRecords(app, buildSimilarTexts('Orion'))
  const run = await dream(steps)
  expect(figuresOf(run)).toEqual([0, 0, 1, 1])
  const [candidate] = await listRunChanges(run)
  expect(candidate).toMatchObject({ record_id: ids[0], action: 'candidate' })
  expect([...(candidate?.after.members ?? [])].sort()).toEqual([...ids].sort())
  expect(takeModelRequests()).toHaveLength(1)
  expect(figuresOf(await dream(steps))).toEqual([0, 0, 0, 1])
  expect(takeModelRequests()).toEqual([])
  expect(await readStatuses(app, ids)).toEqual(all(6, 'active'))
  await createSimilarRecords(app, [`${buildSimilarTexts('Orion')[0]} somehow`])
  await dream(steps)
  expect(takeModelRequests()).toHaveLength(1)
})

it('the step cluster merges nothing and asks again in the next run when the model was unavailable', async () => {
  const { app, model, dream } = await openApp(respond(401, {}))
  const ids = await createSimilarRecords(app, buildSimilarTexts('Orion'))
  const refused = await dream(steps)
  expect(figuresOf(refused)).toEqual([0, 0, 0, 1])
  expect(refused.stats.model_calls).toBe(1)
  model.behave(answerBySchema(summarizeByFirst))
  expect(figuresOf(await dream(steps))).toEqual([1, 6, 0, 0])
  expect(await readStatuses(app, ids)).toEqual(all(6, 'merged'))
})

it('the step cluster needs five records of one scope, type and sensitivity', async () => {
  const { app, dream, takeModelRequests } = await openApp(answerBySchema(summarizeByFirst))
  await createSimilarRecords(app, buildSimilarTexts('Orion', 4), { scope: 'four' })
  await createSimilarRecords(app, buildSimilarTexts('Orion', 3), { scope: 'one' })
  await createSimilarRecords(app, buildSimilarTexts('Orion', 2), { scope: 'two' })
  await createSimilarRecords(app, buildSimilarTexts('Orion', 3), { scope: 'kinds' })
  await createSimilarRecords(app, buildSimilarTexts('Orion', 2), { scope: 'kinds', memory_kind: 'narrative' })
  await createSimilarRecords(app, buildSimilarTexts('Orion', 3), { scope: 'trust' })
  await createSimilarRecords(app, buildSimilarTexts('Orion', 2), { scope: 'trust', sensitivity: 'public' })
  expect(figuresOf(await dream(steps))).toEqual([0, 0, 0, 0])
  expect(takeModelRequests()).toEqual([])
})

it('the step cluster skips pinned, forgotten and challenged records, peer cards and records of dreams', async () => {
  const { app, dream } = await openApp(answerBySchema(summarizeByFirst))
  const [pinned = '', forgotten, challenged = ''] = await createSimilarRecords(
    app,
    buildSimilarTexts('Orion', 3),
  )
  const act = (path: string, body: Body) =>
    app.request('POST', `/v1/records/${path}`, { body: { actor: 'ada', ...body } })
  await act(`${pinned}/pin`, { rationale: 'r' })
  await app.request('DELETE', `/v1/records/${forgotten}?actor=ada&rationale=r`)
  await act(`${challenged}/status`, { status: 'challenged', reason: 'r' })
  const [card = ''] = await createSimilarRecords(app, buildSimilarTexts('Orion', 4).slice(3), {
    tags: ['peer-card'],
  })
  const [fifth = ''] = await createSimilarRecords(app, buildSimilarTexts('Orion', 5).slice(4), {
    source_type: 'dream',
  })
  await createSimilarRecords(app, buildSimilarTexts('Orion', 8).slice(5))
  expect(figuresOf(await dream(steps))).toEqual([0, 0, 0, 0])
  expect(await readStatuses(app, [pinned, challenged, card, fifth])).toEqual([
    'active',
    'challenged',
    'active',
    'active',
  ])
})

it('the step cluster counts records above the sensitivity of the model without showing them to it', async () => {
  const { app, dream, takeModelRequests } = await openDreamApp(answerBySchema(summarizeByFirst), {
    MEMBRANE_LLM_MAX_SENSITIVITY: 'public',
  })
  await createSimilarRecords(app, buildSimilarTexts('Orion'))
  expect(figuresOf(await dream(steps))).toEqual([0, 0, 0, 1])
  expect(takeModelRequests()).toEqual([])
})

it('the step cluster skips groups with secrets or with texts too long for the prompt', async () => {
  const { app, dream, takeModelRequests } = await openApp(answerBySchema(summarizeByFirst))
  const key = 'ghp_abcdefghijklmnopqrstuvwx'
  await createSimilarRecords(
    app,
    buildSimilarTexts('Orion').map((object) => `${object} with ${key}`),
    { scope: 'secret' },
  )
  await createSimilarRecords(
    app,
    buildSimilarTexts('Orion').map((object) => `${object} ${'and so on '.repeat(300)}`),
    { scope: 'long' },
  )
  expect(figuresOf(await dream(steps))).toEqual([0, 0, 0, 2])
  expect(takeModelRequests()).toEqual([])
})
