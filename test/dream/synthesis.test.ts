import { expect, it } from 'vitest'
import type { Precision } from '../../src/domain/vectors/vector-codes.ts'
import {
  answerBySchema,
  createEntityWithFacts,
  createFactAbout,
  parsePromptDocument,
  readDreamTables,
  shareDreamApp,
} from '../support/apps/dream-app.ts'
import { type Body, create, fact, read } from '../support/requests/record-requests.ts'
import { insertEmbeddingModel, insertVectors } from '../support/stores/insert-vectors.ts'
import type { TestApp } from '../support/test-app.ts'

const steps = ['synthesis'] as const
const openApp = shareDreamApp()
const confirming = answerBySchema({
  synthesis: ({ entities: [one, other] }: Body) => ({
    connected: true,
    synthesis: `${one.name} and ${other.name} share a queue`,
    insight: 'slowing one slows the other',
  }),
})
const rejecting = answerBySchema({ synthesis: { connected: false, synthesis: '', insight: '' } })

/** Builds a vector with this cosine to the first one. */
const at = (cosine: number) => Float32Array.from([cosine, Math.sqrt(1 - cosine * cosine), 0, 0])

type Placement = { cosine: number; tags?: string[]; bits?: Precision }

/** Creates an entity with three facts that share one vector. */
async function createPlacedEntity(
  app: TestApp,
  modelId: number,
  name: string,
  { cosine, tags = [name], bits = 32 }: Placement,
) {
  const about = await createEntityWithFacts(
    app,
    name,
    [1, 2, 3].map((n) => `${name} ${n}`),
    { tags },
  )
  const placed = about.known.map((id) => ({ id, vector: at(cosine), bits }))
  await insertVectors(app.db, modelId, placed)
  return about
}

async function openPair(behaviour = confirming, other: Partial<Placement> = {}) {
  const mind = await openApp(behaviour)
  const modelId = await insertEmbeddingModel(mind.app.db, 4)
  const orion = await createPlacedEntity(mind.app, modelId, 'Orion', { cosine: 1 })
  const vega = await createPlacedEntity(mind.app, modelId, 'Vega', { cosine: 0.8, ...other })
  return { ...mind, modelId, orion, vega }
}

const edgesOf = async (app: TestApp, id: string, predicate: string): Promise<string[]> => {
  const { relations } = await read(app, id)
  return relations.flatMap((edge: Body) => (edge.predicate === predicate ? [edge.target_id] : []))
}

it.each(['orion', 'vega'] as const)(
  'a connection between entities of two sensitivities is stored at the higher one, when %s is less sensitive',
  async (which) => {
    const { app, orion, vega, dream, listRunChanges } = await openPair()
    const [lower, higher] = which === 'orion' ? [orion, vega] : [vega, orion]
    for (const id of [lower.id, ...lower.known]) {
      const body = { sensitivity: 'public' }
      expect((await app.request('PATCH', `/v1/records/${id}`, { body })).status).toBe(200)
    }
    const { version } = await read(app, lower.id)
    const changes = await listRunChanges(await dream(steps))
    expect(changes.find(({ action }) => action === 'relate')).toMatchObject({
      record_id: higher.id,
      after: { target_id: lower.id },
    })
    expect((await read(app, lower.id)).version).toBe(version)
    expect(await edgesOf(app, higher.id, 'related_to')).toEqual([lower.id])
  },
)

it('the step synthesis connects two entities of different contexts when the model confirms it', async () => {
  const { app, orion, vega, dream, listRunChanges, takeModelRequests } = await openPair()
  const run = await dream(steps)
  expect(run.stats).toMatchObject({ pairs_asked: 1, pairs_connected: 1, pairs_rejected: 0, model_calls: 1 })
  const [question] = takeModelRequests().map(parsePromptDocument)
  expect(question.entities.map(({ name }: Body) => name).sort()).toEqual(['Orion', 'Vega'])
  const changes = await listRunChanges(run)
  expect(changes.map(({ action }) => action).sort()).toEqual(['create', 'relate'])
  expect(JSON.stringify(changes)).not.toContain('queue')
  const { record_id: id } = changes.find(({ action }) => action === 'create') ?? {}
  expect(await read(app, id)).toMatchObject({
    type: 'semantic',
    tags: ['synthesis'],
    source_type: 'dream',
    status: 'active',
    payload: { predicate: 'related_to', object: { insight: 'slowing one slows the other' } },
  })
  const sources = [orion.id, vega.id, ...orion.known, ...vega.known]
  expect((await edgesOf(app, id, 'derived_from')).sort()).toEqual(sources.sort())
  const related = [
    await edgesOf(app, orion.id, 'related_to'),
    await edgesOf(app, vega.id, 'related_to'),
  ].flat()
  expect(related).toHaveLength(1)
  const before = await readDreamTables(app)
  expect((await dream(steps)).stats).toMatchObject({ pairs_asked: 0, model_calls: 0 })
  expect(await readDreamTables(app)).toEqual(before)
})

it('the step synthesis does not ask again about a rejected pair, even after new facts', async () => {
  const { app, modelId, orion, vega, dream } = await openPair(rejecting)
  expect((await dream(steps)).stats).toMatchObject({ pairs_asked: 1, pairs_rejected: 1 })
  const { id } = await createFactAbout(app, orion.id, 'something new', { tags: ['Orion'] })
  await insertVectors(app.db, modelId, [{ id, vector: at(1) }])
  expect((await dream(steps)).stats).toMatchObject({ pairs_asked: 0, model_calls: 0 })
  expect(await edgesOf(app, vega.id, 'related_to')).toEqual([])
})

it('the step synthesis does not restore a connection that a client removed', async () => {
  const { app, orion, vega, dream, listRunChanges } = await openPair()
  const changes = await listRunChanges(await dream(steps))
  const { record_id: id } = changes.find(({ action }) => action === 'create') ?? {}
  await app.request('POST', `/v1/records/${id}/retract`, { body: { actor: 'a', rationale: 'no' } })
  const [one, other] = [orion.id, vega.id].sort()
  expect((await app.request('DELETE', `/v1/records/${one}/relations/related_to/${other}`)).status).toBe(204)
  expect((await dream(steps)).stats).toMatchObject({ pairs_asked: 0 })
})

it.each([
  ['are too far apart', { cosine: 0.7 }],
  ['are too near', { cosine: 0.95 }],
  ['share a tag', { tags: ['Vega', 'Orion'] }],
])('the step synthesis does not ask about entities that %s', async (_, other) => {
  const { dream } = await openPair(confirming, other)
  expect((await dream(steps)).stats).toMatchObject({ pairs_asked: 0, model_calls: 0 })
})

it('the step synthesis does not count tags of the service as context', async () => {
  const mind = await openApp(confirming)
  const modelId = await insertEmbeddingModel(mind.app.db, 4)
  await createPlacedEntity(mind.app, modelId, 'Orion', { cosine: 1, tags: ['consolidated', 'one'] })
  await createPlacedEntity(mind.app, modelId, 'Vega', { cosine: 0.8, tags: ['consolidated', 'other'] })
  expect((await mind.dream(steps)).stats).toMatchObject({ pairs_asked: 1 })
})

it('the step synthesis skips entities that are linked or mentioned in the same record', async () => {
  const { app, modelId, orion, vega, dream } = await openPair()
  const lyra = await createPlacedEntity(app, modelId, 'Lyra', { cosine: 0.8 })
  const link = { predicate: 'depends_on', target_id: orion.id }
  await app.request('POST', `/v1/records/${vega.id}/relations`, { body: link })
  const both = [lyra.id, orion.id].map((target_id) => ({ predicate: 'mentions_entity', target_id }))
  await create(app, fact({ relations: both }))
  expect((await dream(steps)).stats).toMatchObject({ pairs_asked: 0, model_calls: 0 })
})

it('the step synthesis compares vectors of every precision', async () => {
  const { dream } = await openPair(confirming, { bits: 4 })
  expect((await dream(steps)).stats).toMatchObject({ pairs_connected: 1 })
})

it('the step synthesis asks about five pairs in a run and about the others in later runs', async () => {
  const { app, modelId, dream, takeModelRequests } = await openPair(rejecting)
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
    await createPlacedEntity(app, modelId, name, { cosine: 0.8 })
  const questions: string[] = []
  for (let night = 0; night < 3; night++) {
    await dream(steps)
    const names = takeModelRequests().map((seen) =>
      parsePromptDocument(seen).entities.map(({ name }: Body) => name),
    )
    questions.push(...names.map((pair) => pair.sort().join()))
    expect(names.length).toBe([5, 2, 0][night])
  }
  expect(new Set(questions).size).toBe(7)
})

it('the step synthesis skips pinned entities and compares only within a scope', async () => {
  const { app, modelId, orion, dream } = await openPair()
  await app.request('POST', `/v1/records/${orion.id}/pin`, { body: { actor: 'a', rationale: 'r' } })
  const more = { scope: 'team', tags: ['t'], entity: { scope: 'team' } }
  const lyra = await createEntityWithFacts(app, 'Lyra', ['Lyra 1'], more)
  await insertVectors(app.db, modelId, [{ id: lyra.known[0] ?? '', vector: at(1) }])
  expect((await dream(steps)).stats).toMatchObject({ pairs_asked: 0 })
})

it('the step synthesis skips entities above the sensitivity of the model', async () => {
  const mind = await openApp(confirming)
  const modelId = await insertEmbeddingModel(mind.app.db, 4)
  await createPlacedEntity(mind.app, modelId, 'Orion', { cosine: 1 })
  const hidden = { sensitivity: 'high', tags: ['h'], entity: { sensitivity: 'high' } }
  const vega = await createEntityWithFacts(mind.app, 'Vega', ['Vega 1'], hidden)
  await insertVectors(mind.app.db, modelId, [{ id: vega.known[0] ?? '', vector: at(0.8) }])
  expect((await mind.dream(steps)).stats).toMatchObject({ pairs_asked: 0, model_calls: 0 })
})

it.each([
  ['nothing', {}],
  ['no word of it', { connected: true, synthesis: '', insight: 'x' }],
  ['a guess', { connected: 'yes', synthesis: 'x', insight: 'x' }],
])('the step synthesis writes nothing and does not ask again after an answer with %s', async (_, answer) => {
  const { app, orion, vega, dream } = await openPair(answerBySchema({ synthesis: answer }))
  expect((await dream(steps)).stats).toMatchObject({ pairs_connected: 0, pairs_rejected: 1 })
  expect((await dream(steps)).stats).toMatchObject({ pairs_asked: 0, model_calls: 0 })
  const related = [await edgesOf(app, orion.id, 'related_to'), await edgesOf(app, vega.id, 'related_to')]
  expect(related).toEqual([[], []])
})

it('the step synthesis writes nothing when a client links the pair during the model call', async () => {
  const { app, model, orion, vega, dream } = await openPair()
  model.behave(async (response, seen) => {
    const body = { predicate: 'depends_on', target_id: orion.id }
    await app.request('POST', `/v1/records/${vega.id}/relations`, { body })
    await confirming(response, seen)
  })
  expect((await dream(steps)).stats).toMatchObject({ pairs_connected: 0, pairs_outdated: 1 })
  expect((await dream(steps)).stats).toMatchObject({ pairs_asked: 0 })
})

it('the step synthesis writes nothing in a dry run that asks the model', async () => {
  const { app, dream } = await openPair()
  const before = await readDreamTables(app)
  const run = await dream(steps, { dry_run: true, options: { ask_model: true } })
  expect(run.stats).toMatchObject({ pairs_connected: 1 })
  expect(await readDreamTables(app)).toEqual(before)
})

it('the step synthesis finds no pairs without vectors', async () => {
  const { app, dream } = await openApp(confirming)
  await createEntityWithFacts(app, 'Orion', ['Orion 1'])
  expect((await dream(steps)).stats).toMatchObject({ pairs_asked: 0, model_calls: 0 })
})
