import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  answerBySchema,
  buildFiveNotes,
  createEntityWithFacts,
  openDreamApp,
  readPeerCardId,
} from '../../support/apps/dream-app.ts'
import { listBrokenLaws } from '../../support/checks/broken-laws.ts'
import { captureFact, erase, pickCreated, triple } from '../../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listRecords,
} from '../../support/requests/consolidation-requests.ts'
import { type Body, create, expectProblem, read } from '../../support/requests/record-requests.ts'
import {
  buildSimilarTexts,
  createSimilarRecords,
  listSummaries,
  readStatuses,
  summarizeByFirst,
} from '../../support/stores/similar-records.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

/** Records that were made from others follow when those move to another scope. */

/** For tests without a model. */
let shared: TestApp
beforeAll(async () => {
  shared = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests of scopes' } })
})
afterAll(() => shared.close())

const writer = answerBySchema({
  profile: ({ records }: Body) => ({ profile: records.map(({ says }: Body) => says).join(', ') }),
  ...summarizeByFirst,
})

const move = (app: TestApp, id: string, scope: string | null) =>
  app.request('PATCH', `/v1/records/${id}`, { body: { scope } })

async function moveAway(app: TestApp, id: string, scope = 'private'): Promise<void> {
  const { status, text } = await move(app, id, scope)
  if (status !== 200) throw new Error(`not moved: ${text}`)
}

async function issueReader(app: TestApp, scope = 'team') {
  const key = await app.issueKey(['records:read'], { scopes: [scope] })
  return {
    readStatus: async (id: string, query = '?include_forgotten=true') =>
      (await app.request('GET', `/v1/records/${id}${query}`, { key })).status,
    readAll: async () => (await app.request('GET', '/v1/export?include_forgotten=true', { key })).text,
  }
}

it('a captured fact and its entity go along unless another record of the scope says the same', async () => {
  const reader = await issueReader(shared)
  const first = await captureFact(shared, triple('Zorblax'), { scope: 'team', tags: ['secret-tag'] })
  const [fact] = pickCreated(first, 'semantic')
  const [entity] = pickCreated(first, 'entity')
  const again = await captureFact(shared, triple('Zorblax'), { scope: 'team', source: 'agent-2' })
  await moveAway(shared, first.primary_record.id)
  expect(await reader.readStatus(fact.id)).toBe(200)
  const kept = await read(shared, fact.id)
  expect(kept).toMatchObject({ scope: 'team', tags: [] })
  expect(kept.payload.evidence.map((each: Body) => each.source_id)).toEqual([again.primary_record.id])
  expect(await reader.readAll()).not.toContain('secret-tag')
  await moveAway(shared, again.primary_record.id, 'elsewhere')
  for (const { id } of [fact, entity]) {
    expect(await reader.readStatus(id)).toBe(404)
    expect(await read(shared, id)).toMatchObject({ scope: 'elsewhere' })
  }
  const log = (await read(shared, fact.id)).audit_log
  expect(log.at(-1)).toMatchObject({ action: 'revise', changes: { scope: ['team', 'elsewhere'] } })
  expect(await reader.readAll()).not.toContain('Zorblax')
  expect(await listBrokenLaws(shared)).toEqual([])
})

it('a profile that quotes a moved record is gone at once, for readers of its id too', async () => {
  const { app, dream } = await openDreamApp(writer)
  const reader = await issueReader(app)
  const more = { scope: 'team', entity: { scope: 'team' } }
  const { id, known } = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'), more)
  await dream(['peer_cards'])
  const card = (await readPeerCardId(app, id)) ?? ''
  expect(await reader.readStatus(card)).toBe(200)
  await moveAway(app, known[0] ?? '')
  expect(await reader.readStatus(card)).toBe(410)
  expect(await reader.readStatus(card, '/audit')).toBe(200)
  expect(await reader.readAll()).not.toContain('Orion note 1')
  expect(await readPeerCardId(app, id)).toBeUndefined()
  expectProblem(await app.request('GET', `/v1/records/${card}?include_forgotten=true`), 410, 'record_purged')
  expect(await listBrokenLaws(app)).toEqual([])
})

it('a summary that quotes a moved record is gone, and the next dream brings back what it replaced', async () => {
  const { app, dream } = await openDreamApp(writer)
  const reader = await issueReader(app)
  const texts = buildSimilarTexts('Vega')
  const sources = await createSimilarRecords(app, texts, { scope: 'team' })
  await dream(['cluster'])
  const [summary = ''] = (await listSummaries(app)).map((each) => each.id)
  await moveAway(app, sources[0] ?? '')
  expect(await reader.readStatus(summary)).toBe(410)
  expect(await reader.readAll()).not.toContain(texts[0])
  await dream(['cluster'], { scope: 'private' })
  expect(await readStatuses(app, [sources[0] ?? ''])).toEqual(['active'])
  expect(await listBrokenLaws(app)).toEqual([])
})

it('a skill and a plan keep what other episodes of the scope show, without the words of the moved one', async () => {
  const { app } = await openDreamApp()
  const scope = createScope()
  const reader = await issueReader(app, scope)
  const tools = ['build', 'test', 'ship']
  const deploy = (summary: string, target: string) =>
    captureEpisode(
      app,
      summary,
      {
        tool_graph: tools.map((tool, index) => ({
          id: tool,
          tool,
          args: { target },
          ...(index > 0 ? { depends_on: [tools[index - 1]] } : {}),
        })),
      },
      { scope },
    )
  const blue = await deploy('the blue release went out', 'host-blue')
  await deploy('the red release went out', 'host-red')
  await consolidate(app)
  expect(await reader.readAll()).toContain('host-blue')
  await moveAway(app, blue.id)
  const left = await reader.readAll()
  for (const word of ['blue', blue.id]) expect(left).not.toContain(word)
  const types = (await listRecords(app, `scope=${encodeURIComponent(scope)}`)).map(({ type }) => type)
  expect(types).toEqual(expect.arrayContaining(['competence', 'plan_graph']))
  const [fact] = await listRecords(app, 'scope=private&type=semantic')
  expect(fact?.payload.object).toBe('the blue release went out')
  expect(await listBrokenLaws(app)).toEqual([])
})

it('what was made from a record without a scope goes along, and a claim of another scope stays', async () => {
  const captured = await captureFact(shared, triple('Linux'))
  const evidence = [
    { source_type: 'event', source_id: captured.primary_record.id, timestamp: '2026-01-01T00:00:00Z' },
  ]
  const payload = { kind: 'semantic', subject: 'host', predicate: 'runs', object: 'Linux', evidence }
  const provenance = { sources: [{ kind: 'event', ref: `record:${captured.primary_record.id}` }] }
  const claim = await create(shared, { type: 'semantic', scope: 'other', payload, provenance })
  await moveAway(shared, captured.primary_record.id)
  const [fact] = pickCreated(captured, 'semantic')
  expect(await read(shared, fact.id)).toMatchObject({ scope: 'private' })
  expect(await read(shared, claim.id)).toMatchObject({ scope: 'other', version: 1 })
})

it('what was erased from the new scope does not come along', async () => {
  const [erased] = pickCreated(await captureFact(shared, triple('OpenBSD'), { scope: 'private' }), 'semantic')
  await erase(shared, erased.id)
  const captured = await captureFact(shared, triple('OpenBSD', { text: 'said again' }), { scope: 'team' })
  const [fact] = pickCreated(captured, 'semantic')
  await moveAway(shared, captured.primary_record.id)
  expectProblem(await shared.request('GET', `/v1/records/${fact.id}`), 410, 'record_purged')
  expect(await listBrokenLaws(shared)).toEqual([])
})

it('a record stays if a profile that quotes it is never to be deleted', async () => {
  const { app, dream } = await openDreamApp(writer)
  const { id, known } = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(['peer_cards'])
  const body = { lifecycle: { deletion_policy: 'never' } }
  await app.request('PATCH', `/v1/records/${await readPeerCardId(app, id)}`, { body })
  expectProblem(await move(app, known[0] ?? '', 'private'), 409, 'deletion_policy_never')
  expect(await read(app, known[0] ?? '')).toMatchObject({ version: 1 })
})
