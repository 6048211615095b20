import { afterAll, expect, it } from 'vitest'
import { createTopic } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listFacts,
} from '../support/requests/consolidation-requests.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import { listNodeIds, retrieve } from '../support/requests/retrieval-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const january = '2026-01-01T00:00:00.000Z'
const february = '2026-02-01T00:00:00.000Z'
const april = '2026-04-01T00:00:00.000Z'
const june = '2026-06-01T00:00:00.000Z'

const during = (start: string, end: string) => ({ validity: { mode: 'timeboxed', start, end } })
const under = (conditions: object) => ({ validity: { mode: 'conditional', conditions } })

it('a fact whose time is over is stated anew, and found', async () => {
  const { add, scope } = createTopic(app, createScope())
  const old = await add('linux', during(january, february))
  const { fact } = await add('linux')
  expect(fact).toEqual({ outcome: 'created', record_id: expect.not.stringMatching(old.fact.record_id) })
  const found = await retrieve(app, { task_descriptor: 'what runs the build on linux', scopes: [scope] })
  expect(listNodeIds(found)).toContain(fact.record_id)
  expect((await add('linux')).fact).toEqual({ outcome: 'confirmed', record_id: fact.record_id })
  expect((await read(app, old.fact.record_id)).payload.evidence).toHaveLength(1)
})

it('a fact is confirmed by what was said in its time', async () => {
  const { add } = createTopic(app, createScope())
  const old = await add('linux', during(january, february))
  const confirmed = { outcome: 'confirmed', record_id: old.fact.record_id }
  expect((await add('linux', {}, { timestamp: '2026-01-20T00:00:00Z' })).fact).toEqual(confirmed)
  expect((await add('linux', during('2026-01-10T00:00:00Z', february))).fact).toEqual(confirmed)
})

it('a time that begins earlier or ends later is another fact, and no contradiction', async () => {
  const { add, readActive } = createTopic(app, createScope())
  await add('linux', { ...during(january, april), revision_policy: 'replace' })
  expect((await add('linux', during(january, june))).fact.outcome).toBe('created')
  expect((await add('linux', during(april, june))).fact.outcome).toBe('confirmed')
  expect(await readActive()).toEqual(['linux', 'linux'])
})

it('other conditions are another fact, in whatever order they are named', async () => {
  const { add } = createTopic(app, createScope())
  const conditions = { region: 'north', day: 'friday' }
  const old = await add('linux', under(conditions))
  expect((await add('linux', under({ region: 'south', day: 'friday' }))).fact.outcome).toBe('created')
  const same = under({ day: 'friday', region: 'north' })
  expect((await add('linux', same)).fact).toEqual({ outcome: 'confirmed', record_id: old.fact.record_id })
  expect((await add('windows', same)).fact.outcome).toBe('contested')
})

it('a fact whose time was over is not replaced by what holds now', async () => {
  const { add, readActive } = createTopic(app, createScope())
  await add('linux', { ...during(january, february), revision_policy: 'replace' })
  expect((await add('windows')).fact.outcome).toBe('created')
  expect(await readActive()).toEqual(['linux', 'windows'])
})

it('a text whose time is over is remembered anew', async () => {
  const scope = createScope()
  const remember = async (): Promise<Body> =>
    (await app.request('POST', '/v1/remember', { body: { text: 'Ann is away.', scope } })).body
  const { payload } = await remember()
  const old = await create(app, {
    type: 'semantic',
    scope: `${scope} 2`,
    payload: { ...payload, ...during(january, february) },
  })
  const body = { text: 'Ann is away.', scope: `${scope} 2` }
  const answer = await app.request('POST', '/v1/remember', { body })
  expect(answer.status).toBe(201)
  expect((answer.body as Body).id).not.toBe(old.id)
  expect((await app.request('POST', '/v1/remember', { body })).status).toBe(200)
})

it('consolidation states a fact anew whose time is over', async () => {
  const scope = createScope()
  const payload = {
    kind: 'semantic',
    subject: 'deploy',
    predicate: 'observed_in',
    object: 'the cache was warm',
  }
  await create(app, { type: 'semantic', scope, payload: { ...payload, ...during(january, february) } })
  await captureEpisode(app, 'the cache was warm', {}, { scope })
  expect((await consolidate(app, { scope })).stats).toMatchObject({
    semantic_extracted: 1,
    duplicates_resolved: 0,
  })
  await captureEpisode(app, 'the cache was warm', {}, { scope })
  expect((await consolidate(app, { scope })).stats).toMatchObject({
    semantic_extracted: 0,
    duplicates_resolved: 1,
  })
  expect((await listFacts(app, scope)).map(({ payload: { validity } }) => validity.mode).sort()).toEqual([
    'global',
    'timeboxed',
  ])
})
