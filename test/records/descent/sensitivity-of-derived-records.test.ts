import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  answerBySchema,
  buildFiveNotes,
  createEntityWithFacts,
  createFactAbout,
  openDreamApp,
  readPeerCardId,
} from '../../support/apps/dream-app.ts'
import { listBrokenLaws } from '../../support/checks/broken-laws.ts'
import { respondWithJson } from '../../support/models/chat-server.ts'
import { capture, captureFact, pickCreated, triple } from '../../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listRecords,
} from '../../support/requests/consolidation-requests.ts'
import { type Body, create, read } from '../../support/requests/record-requests.ts'
import {
  buildSimilarTexts,
  createSimilarRecords,
  listSummaries,
  summarizeByFirst,
} from '../../support/stores/similar-records.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

/** Records that were made from others follow when those become more sensitive. */

/** For tests without a model. */
let shared: TestApp
beforeAll(async () => {
  shared = await startTestApp()
})
afterAll(() => shared.close())

const writer = answerBySchema({
  profile: ({ records }: Body) => ({ profile: records.map(({ says }: Body) => says).join(', ') }),
  ...summarizeByFirst,
})

async function raise(app: TestApp, id: string, sensitivity = 'high'): Promise<void> {
  const { status, text } = await app.request('PATCH', `/v1/records/${id}`, { body: { sensitivity } })
  if (status !== 200) throw new Error(`not patched: ${text}`)
}

async function readSensitivities(app: TestApp, ids: readonly string[]): Promise<string[]> {
  const records = await Promise.all(ids.map((id) => read(app, `${id}?include_forgotten=true`)))
  return records.map(({ sensitivity }) => sensitivity)
}

it('a profile is as sensitive as the most sensitive record that it quotes', async () => {
  const { app, dream } = await openDreamApp(writer)
  const low = await app.issueKey(['records:read'], { max_sensitivity: 'low' })
  const { id, known } = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(['peer_cards'])
  const first = (await readPeerCardId(app, id)) ?? ''
  await createFactAbout(app, id, 'a sixth note')
  await dream(['peer_cards'])
  const second = (await readPeerCardId(app, id)) ?? ''
  await raise(app, known[0] ?? '')
  expect(await readSensitivities(app, [first, second, known[1] ?? ''])).toEqual(['high', 'high', 'low'])
  for (const card of [first, second]) {
    expect((await app.request('GET', `/v1/records/${card}`, { key: low })).status).toBe(404)
  }
  expect(await readPeerCardId(app, id, low)).toBeUndefined()
  const { audit_log: log, version } = await read(app, second)
  expect(log.at(-1)).toMatchObject({ action: 'revise', changes: { sensitivity: ['low', 'high'] } })
  expect(version).toBe(2)
  expect(await listBrokenLaws(app)).toEqual([])
  // The next profile is made from what every reader of the entity may read, and is not made from the profile it replaces.
  expect((await dream(['peer_cards'])).stats).toMatchObject({ cards_replaced: 1 })
  const third = (await readPeerCardId(app, id, low)) ?? ''
  await raise(app, known[0] ?? '', 'hyper')
  expect(await readSensitivities(app, [first, second, third])).toEqual(['hyper', 'hyper', 'low'])
  expect(JSON.stringify(await read(app, third, { key: low }))).not.toContain(second)
})

it('a summary, and a profile made from it, follow a source of the summary', async () => {
  const { app, dream } = await openDreamApp(writer)
  const { id, known } = await createEntityWithFacts(app, 'Vega', buildFiveNotes('Vega').slice(0, 4))
  const sources = await createSimilarRecords(app, buildSimilarTexts('Vega'))
  await dream(['cluster'])
  const [summary] = (await listSummaries(app)).map((each) => each.id)
  const edge = { predicate: 'subject_entity', target_id: id }
  await app.request('POST', `/v1/records/${summary}/relations`, { body: edge })
  await dream(['peer_cards'])
  const card = (await readPeerCardId(app, id)) ?? ''
  await raise(app, sources[2] ?? '', 'medium')
  expect(await readSensitivities(app, [summary ?? '', card, known[0] ?? '', sources[1] ?? ''])).toEqual([
    'medium',
    'medium',
    'low',
    'low',
  ])
  await raise(app, sources[3] ?? '', 'high')
  expect(await readSensitivities(app, [summary ?? '', card])).toEqual(['high', 'high'])
  expect(await listBrokenLaws(app)).toEqual([])
})

it('a captured fact follows its evidence unless less sensitive evidence says the same', async () => {
  const first = await captureFact(shared, triple('Linux'))
  const [fact] = pickCreated(first, 'semantic')
  const [entity] = pickCreated(first, 'entity')
  const again = await captureFact(shared, triple('Linux'), { source: 'agent-2' })
  await raise(shared, first.primary_record.id)
  expect(await readSensitivities(shared, [fact.id, entity.id])).toEqual(['low', 'low'])
  await raise(shared, again.primary_record.id, 'medium')
  expect(await readSensitivities(shared, [fact.id, entity.id])).toEqual(['medium', 'medium'])
  expect(await listBrokenLaws(shared)).toEqual([])
})

it('facts, skills and plans of a consolidation follow their episodes, also when they are forgotten', async () => {
  const { app } = await openDreamApp()
  const scope = createScope()
  const tool_graph = ['build', 'test', 'ship'].map((tool, index, all) => ({
    id: tool,
    tool,
    ...(index > 0 ? { depends_on: [all[index - 1]] } : {}),
  }))
  const deploy = (summary: string) => captureEpisode(app, summary, { tool_graph }, { scope })
  const episodes = [await deploy('the blue release went out'), await deploy('the red release went out')]
  await consolidate(app)
  const types = ['semantic', 'competence', 'plan_graph']
  const derived = (await listRecords(app, `scope=${encodeURIComponent(scope)}`)).filter(({ type }) =>
    types.includes(type),
  )
  expect(new Set(derived.map(({ type }) => type))).toEqual(new Set(types))
  const skill = derived.find(({ type }) => type === 'competence')
  const removal = await app.request('DELETE', `/v1/records/${skill?.id}?actor=a&rationale=b`)
  expect(removal.status).toBe(200)
  await raise(app, episodes[0]?.id)
  const raised = await readSensitivities(
    app,
    derived.map(({ id }) => id),
  )
  const expected = derived.map(({ type, payload }) =>
    type !== 'semantic' || payload.object.includes('blue') ? 'high' : 'low',
  )
  expect(raised).toEqual(expected)
  expect(new Set(raised)).toEqual(new Set(['low', 'high']))
  expect(await listBrokenLaws(app)).toEqual([])
})

it('a merged record follows its sources, and a successor with evidence of its own does not', async () => {
  const evidence = [{ source_type: 'human', source_id: 'ada', timestamp: '2026-01-01T00:00:00Z' }]
  const fact = (object: string) => ({
    type: 'semantic',
    payload: { kind: 'semantic', subject: 'office', predicate: 'is in', object, evidence },
  })
  const old = await create(shared, fact('Lyon'))
  const reason = { actor: 'a', rationale: 'b' }
  const { body: revised } = await shared.request('POST', `/v1/records/${old.id}/supersede`, {
    body: { record: fact('Paris'), ...reason },
  })
  const other = await create(shared, fact('France'))
  const { body: joined } = await shared.request('POST', '/v1/records/merge', {
    body: { ids: [(revised as Body).record.id, other.id], record: fact('Paris, France'), ...reason },
  })
  await raise(shared, old.id)
  expect(await readSensitivities(shared, [(revised as Body).record.id])).toEqual(['low'])
  await raise(shared, other.id)
  expect(await readSensitivities(shared, [(joined as Body).record.id])).toEqual(['high'])
})

it('a record that is more sensitive already, or a source that becomes less sensitive, changes nothing', async () => {
  const { primary_record: episode, ...answer } = await captureFact(shared, triple('OpenBSD'))
  const [fact] = pickCreated(answer, 'semantic')
  await raise(shared, fact.id, 'hyper')
  const { version } = await read(shared, fact.id)
  await raise(shared, episode.id, 'high')
  await raise(shared, episode.id, 'public')
  expect(await read(shared, fact.id)).toMatchObject({ sensitivity: 'hyper', version })
})

it('evidence in a note of a capture stays with the capture', async () => {
  const { primary_record: episode } = await capture(shared, { text: 'the key is under the mat' })
  const claimed = await create(shared, {
    type: 'semantic',
    payload: {
      kind: 'semantic',
      subject: 'key',
      predicate: 'is',
      object: 'under the mat',
      evidence: [{ source_type: 'event', source_id: episode.id, timestamp: '2026-01-01T00:00:00Z' }],
    },
    provenance: { sources: [{ kind: 'event', ref: `record:${episode.id}` }] },
  })
  await raise(shared, episode.id)
  expect(await readSensitivities(shared, [claimed.id])).toEqual(['high'])
})

it('a fact that a model finds in an episode is as sensitive as the episode is when it is stored', async () => {
  const scope = createScope()
  const facts = [{ subject: 'Ada', predicate: 'likes', object: 'okapis' }]
  const { app, model } = await openDreamApp()
  const episode = await captureEpisode(app, 'a talk about okapis', {}, { scope })
  model.behave(async (response, seen) => {
    await raise(app, episode.id)
    await respondWithJson({ facts })(response, seen)
  })
  await consolidate(app, { options: { stages: ['extraction'] } })
  const stored = await listRecords(app, `scope=${encodeURIComponent(scope)}&type=semantic`)
  expect(stored.map(({ payload, sensitivity }) => [payload.object, sensitivity])).toEqual([
    ['okapis', 'high'],
  ])
})
