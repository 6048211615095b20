import { afterAll, expect, it } from 'vitest'
import { capture, erase, forget, pickCreated } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listFacts,
  listRunChanges,
  omitDurations,
  zeroCounts,
} from '../support/requests/consolidation-requests.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import { revise } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a tombstone key of the tests' } })
afterAll(() => app.close())

const judge = (id: string, outcome: string) =>
  app.request('POST', `/v1/records/${id}/outcome`, { body: { outcome, actor: 'desk', rationale: 'seen' } })

const evidenceOf = ({ payload }: Body): string[] => payload.evidence.map(({ source_id: id }: Body) => id)

it('the stage semantic creates a fact from a successful episode', async () => {
  const scope = createScope()
  const episode = await captureEpisode(app, 'the canary came first', {}, { scope, tags: ['release'] })
  const run = await consolidate(app)
  expect(run).toMatchObject({ status: 'succeeded' })
  expect(omitDurations(run)).toEqual({ ...zeroCounts, semantic_extracted: 1 })
  const [fact, ...others] = await listFacts(app, scope)
  expect(others).toEqual([])
  expect(fact).toMatchObject({
    payload: {
      subject: 'deploy',
      predicate: 'observed_in',
      object: 'the canary came first',
      evidence: [{ source_type: 'event', source_id: episode.id }],
    },
    provenance: { created_by: 'consolidation/semantic', sources: [{ kind: 'event', ref: episode.id }] },
    tags: ['consolidated', 'release'],
    sensitivity: 'low',
    source_type: 'auto_extracted',
    lifecycle: { decay: { half_life_seconds: 2_592_000, reinforcement_gain: 0.1 } },
    audit_log: [{ action: 'create', actor: 'consolidation/semantic', run_id: run.id }],
  })
  expect(fact?.relations).toEqual(
    expect.arrayContaining([expect.objectContaining({ predicate: 'derived_from', target_id: episode.id })]),
  )
  expect(await listRunChanges(app, run)).toEqual([
    { record_id: fact?.id, action: 'create', after: { type: 'semantic', derived_from: [episode.id] } },
  ])
})

it('the stage semantic confirms a fact once for each further episode, in any spelling', async () => {
  const scope = createScope()
  const first = await captureEpisode(app, 'The cache was warm', {}, { scope })
  await consolidate(app)
  app.clock.advance(20 * 86_400_000)
  const second = await captureEpisode(app, 'the  cache WAS warm', {}, { scope })
  app.clock.advance(1)
  const others = [
    second,
    await captureEpisode(app, 'the cache was warm', { event_kind: 'DEPLOY' }, { scope }),
  ]
  const [before] = await listFacts(app, scope)
  const run = await consolidate(app)
  expect(omitDurations(run)).toMatchObject({ semantic_extracted: 0, duplicates_resolved: 2 })
  const [fact, ...rest] = await listFacts(app, scope)
  expect(rest).toEqual([])
  expect(fact?.salience).toBeCloseTo(before?.salience + 0.2, 6)
  expect(fact?.version).toBe(3)
  expect(evidenceOf(fact)).toEqual([first.id, ...others.map(({ id }) => id)])
  expect(fact?.audit_log.map(({ action, changes }: Body) => [action, changes?.evidence?.[1]])).toEqual([
    ['create', undefined],
    ...others.map(({ id }) => ['reinforce', id]),
  ])
  expect(await listRunChanges(app, run)).toContainEqual({
    record_id: fact?.id,
    action: 'reinforce',
    before: { salience: before?.salience },
    after: { salience: fact?.salience },
  })
})

it('the stage semantic adds 0.1 for a fact without a gain, and counts each episode once', async () => {
  const scope = createScope()
  const payload = { kind: 'semantic', subject: 'deploy', predicate: 'observed_in', object: 'it rained' }
  const { id } = await create(app, { type: 'semantic', scope, salience: 0.5, payload })
  const event = { t: app.clock.now().toISOString(), event_kind: 'deploy', ref: 'r', summary: 'It rained' }
  await captureEpisode(app, 'it rained', { timeline: [event] }, { scope })
  await consolidate(app)
  expect(await read(app, id)).toMatchObject({ salience: 0.6, version: 2 })
})

it('the stage semantic keeps facts of different texts, scopes and sensitivities apart', async () => {
  const one = createScope()
  const other = createScope()
  await captureEpisode(app, 'a', {}, { scope: one })
  await captureEpisode(app, 'b', {}, { scope: one })
  await captureEpisode(app, 'a', {}, { scope: other })
  await captureEpisode(app, 'a', {}, { scope: one, sensitivity: 'high' })
  await consolidate(app)
  const answer = (await listFacts(app, one)).map(({ payload, sensitivity }) => [payload.object, sensitivity])
  expect(answer.sort()).toEqual([
    ['a', 'high'],
    ['a', 'low'],
    ['b', 'low'],
  ])
  expect(await listFacts(app, other)).toHaveLength(1)
})

it('the stage semantic skips failed and unfinished episodes and events without a summary', async () => {
  const scope = createScope()
  await captureEpisode(app, 'failed', { outcome: 'failure' }, { scope })
  await captureEpisode(app, 'in parts', { outcome: 'partial' }, { scope })
  await create(app, {
    type: 'episodic',
    scope,
    payload: {
      kind: 'episodic',
      outcome: 'success',
      timeline: [{ t: '2026-01-01T00:00:00Z', event_kind: 'silent', ref: 'r', summary: ' ' }],
    },
  })
  const { primary_record: open } = await capture(app, { event_kind: 'deploy', subject: 'api' }, { scope })
  await consolidate(app)
  expect(await listFacts(app, scope)).toEqual([])
  await judge(open.id, 'success')
  expect(omitDurations(await consolidate(app))).toEqual({ ...zeroCounts, semantic_extracted: 1 })
  expect(await listFacts(app, scope)).toHaveLength(1)
})

it('the stage semantic does not repeat the fact of a capture as the text of an event', async () => {
  const scope = createScope()
  const fact = { subject: 'billing', predicate: 'is owned by', object: 'team red' }
  const given = { source_kind: 'observation', scope }
  for (const outcome of ['success', 'success']) await capture(app, { ...fact, outcome }, given)
  await judge((await capture(app, { ...fact, subject: 'search' }, given)).primary_record.id, 'success')
  await consolidate(app)
  expect((await listFacts(app, scope)).map(({ payload }) => payload.object)).toEqual(['team red', 'team red'])
})

it('the stage semantic ignores an outcome that is corrected and set again', async () => {
  const scope = createScope()
  const { id } = await captureEpisode(app, 'it went well after all', {}, { scope })
  await consolidate(app)
  const before = await listFacts(app, scope)
  for (const outcome of ['failure', 'success']) {
    await judge(id, outcome)
    expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
  }
  expect(await listFacts(app, scope)).toEqual(before)
})

it('the stage semantic skips forgotten episodes until they are restored, and restores no forgotten fact', async () => {
  const scope = createScope()
  const { id } = await captureEpisode(app, 'put aside', {}, { scope })
  await forget(app, id)
  expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
  const restore = () =>
    app.request('POST', `/v1/records/${id}/restore`, { body: { actor: 'a', rationale: 'r' } })
  expect((await restore()).status).toBe(200)
  expect(omitDurations(await consolidate(app))).toMatchObject({ semantic_extracted: 1 })
  const [fact] = await listFacts(app, scope)
  await forget(app, fact?.id)
  await forget(app, id)
  await restore()
  expect(omitDurations(await consolidate(app))).toMatchObject({ semantic_extracted: 0 })
  expect(await listFacts(app, scope)).toEqual([])
})

it('the stage semantic neither changes nor duplicates a pinned fact', async () => {
  const scope = createScope()
  await captureEpisode(app, 'frozen', {}, { scope })
  await consolidate(app)
  const [fact] = await listFacts(app, scope)
  await app.request('POST', `/v1/records/${fact?.id}/pin`, { body: { actor: 'a', rationale: 'r' } })
  const before = await listFacts(app, scope)
  await captureEpisode(app, 'frozen', {}, { scope })
  expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
  expect(await listFacts(app, scope)).toEqual(before)
})

it('the stage semantic stores a challenged fact when a retracted one is observed again', async () => {
  const scope = createScope()
  await captureEpisode(app, 'the earth is flat', {}, { scope })
  await consolidate(app)
  const [fact] = await listFacts(app, scope)
  await revise(app, 'retract', fact?.id)
  await captureEpisode(app, 'the earth is flat', {}, { scope })
  await captureEpisode(app, 'the earth is flat', {}, { scope })
  await consolidate(app)
  const { status } = await read(app, fact?.id)
  expect(status).toBe('invalidated')
  const others = (await listFacts(app, scope)).filter(({ id }) => id !== fact?.id)
  expect(others.map(({ status }) => status)).toEqual(['challenged'])
})

it('the stage semantic stores no fact that was erased in its scope', async () => {
  const scope = createScope()
  await captureEpisode(app, 'her number is 7', {}, { scope })
  await consolidate(app)
  const [fact] = await listFacts(app, scope)
  await erase(app, fact?.id)
  await captureEpisode(app, 'Her number is 7', { ref: 'other' }, { scope })
  const run = await consolidate(app)
  expect({ status: run.status, figures: omitDurations(run) }).toEqual({
    status: 'succeeded',
    figures: zeroCounts,
  })
  expect(await listFacts(app, scope)).toEqual([])
})

it('a consolidated fact loses the evidence of an erased episode, and is erased with its last one', async () => {
  const scope = createScope()
  const first = await captureEpisode(app, 'one voice', {}, { scope })
  const second = await captureEpisode(
    app,
    'one voice!',
    { timeline: [{ t: '2026-01-01T00:00:00Z', event_kind: 'deploy', ref: 'r', summary: 'one voice' }] },
    { scope },
  )
  await consolidate(app)
  const shared = async () =>
    (await listFacts(app, scope)).filter(({ payload }) => payload.object === 'one voice').map(evidenceOf)
  expect((await shared()).map((ids) => ids.sort())).toEqual([[first.id, second.id].sort()])
  await erase(app, first.id)
  expect(await shared()).toEqual([[second.id]])
  await erase(app, second.id)
  expect(await listFacts(app, scope)).toEqual([])
  const { rows } = await app.database.pool.query('select from unconsolidated where record_id = any($1)', [
    [first.id, second.id],
  ])
  expect(rows).toEqual([])
})

it('the stage semantic links a fact to the known entities that it names', async () => {
  const scope = createScope()
  const answer = await capture(app, { service: 'billing-api', text: 'x' }, { scope })
  const [service] = pickCreated(answer, 'entity')
  await capture(app, { service: 'billing-api', text: 'y' }, { scope: createScope() })
  await captureEpisode(app, 'rolled back billing-api by hand', {}, { scope })
  await consolidate(app)
  const [fact] = await listFacts(app, scope)
  const mentions = fact?.relations.filter(({ predicate }: Body) => predicate === 'mentions_entity')
  expect(mentions.map(({ target_id: id }: Body) => id)).toEqual([service?.id])
})
