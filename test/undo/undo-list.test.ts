import { afterAll, describe, expect, it } from 'vitest'
import { answerBySchema, openDreamApp } from '../support/apps/dream-app.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { erase } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  createScope,
  listFacts,
  listRunChanges,
} from '../support/requests/consolidation-requests.ts'
import { apply, listPlanChanges, perform, plan } from '../support/requests/plan-requests.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  pointersOf,
  read,
} from '../support/requests/record-requests.ts'
import {
  buildSimilarTexts,
  createSimilarRecords,
  readStatuses,
  summarizeByFirst,
} from '../support/stores/similar-records.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/** The writes and the list of an undo, and the laws that hold afterwards. */

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
afterAll(async () => {
  const broken = await listBrokenLaws(app)
  await app.close()
  expect(broken).toEqual([])
})

const reason = { actor: 'operator', rationale: 'it was too early' }
const day = 86_400_000
const run = (job: string, more: object = {}) => perform(app, job, { job, ...more })
const undo = ({ id }: Body, more: object = {}, of: TestApp = app) =>
  perform(of, 'undo', { ...reason, ...more }, `/v1/maintenance/runs/${id}/undo`)
const edgesOf = ({ relations }: Body) => relations.map(({ predicate }: Body) => predicate)

describe('undo of a consolidation', () => {
  it('keeps both directions of the edge to a fact that it leaves alone', async () => {
    const scope = createScope()
    await captureEpisode(app, 'the build is slow', {}, { scope })
    await run('consolidate', { scope })
    const [fact] = (await listFacts(app, scope)) as [Body]
    const { id } = await captureEpisode(app, 'the build is slow', {}, { scope })
    const learnt = await run('consolidate', { scope })
    await app.request('POST', `/v1/records/${fact.id}/reinforce`, { body: reason })
    expect((await undo(learnt)).stats).toMatchObject({ kept: 1 })
    expect(edgesOf(await read(app, id))).toContain('derives')
  })

  it('takes both directions of an edge back with the fact that is named', async () => {
    const scope = createScope()
    await captureEpisode(app, 'the test is slow', {}, { scope })
    await run('consolidate', { scope })
    const [fact] = (await listFacts(app, scope)) as [Body]
    const { id } = await captureEpisode(app, 'the test is slow', {}, { scope })
    const learnt = await run('consolidate', { scope })
    expect((await undo(learnt, { only: [fact.id.toUpperCase()] })).stats).toMatchObject({ undone: 1 })
    expect(edgesOf(await read(app, id))).not.toContain('derives')
  })

  it('lists and logs what came back of an episode, once', async () => {
    const scope = createScope()
    const { id } = await captureEpisode(app, 'the cache is cold', {}, { scope })
    app.clock.advance(3 * day)
    const learnt = await run('consolidate', { scope })
    const listed = (await listRunChanges(app, await undo(learnt))).filter(({ record_id }) => record_id === id)
    expect(listed).toEqual([
      {
        record_id: id,
        action: 'undo',
        before: { base_salience: expect.any(Number) },
        after: { base_salience: expect.any(Number) },
      },
    ])
    const { audit_log } = await read(app, id)
    const logged = audit_log.filter(({ action }: Body) => action === 'undo')
    expect(logged.map(({ changes }: Body) => Object.keys(changes))).toEqual([['base_salience']])
  })

  it('lists a record once after undos of some of its actions', async () => {
    const scope = createScope()
    const { id } = await captureEpisode(app, 'the disk is full', {}, { scope })
    app.clock.advance(3 * day)
    const learnt = await run('consolidate', { scope })
    // An id may be written in capital letters.
    for (const only of [['compress'], ['create']]) await undo({ id: learnt.id.toUpperCase() }, { only })
    const listed = await listRunChanges(app, await undo(learnt))
    expect(listed.filter(({ record_id }) => record_id === id)).toEqual([
      { record_id: id, action: 'kept', note: 'it was taken back already' },
    ])
  })

  it('lists what was erased since as kept', async () => {
    const scope = createScope()
    await captureEpisode(app, 'the key is old', {}, { scope })
    const learnt = await run('consolidate', { scope })
    const [fact] = (await listFacts(app, scope)) as [Body]
    await erase(app, fact.id)
    const undone = await undo(learnt)
    expect(undone.stats).toMatchObject({ undone: 0, kept: 1 })
    expect(await listRunChanges(app, undone)).toEqual([
      { record_id: fact.id, action: 'kept', note: 'it was erased' },
    ])
  })
})

describe('undo of a decay', () => {
  it('logs the move of the importance, and writes times like every answer', async () => {
    const scope = createScope()
    const lifecycle = { decay: { curve: 'linear', half_life_seconds: 3_600, min_salience: 0 } }
    const { id } = await create(app, fact({ scope, lifecycle }))
    app.clock.advance(day)
    for (const dry_run of [true, false]) {
      const swept = await run('decay', { scope })
      const [change] = await listRunChanges(app, await undo(swept, { dry_run }))
      expect(change).toMatchObject({ record_id: id, before: { forgotten_at: app.clock.now().toISOString() } })
      if (dry_run) await undo(swept)
    }
    expect((await read(app, id)).audit_log.at(-1).changes.forgotten_at).toEqual([
      app.clock.now().toISOString(),
      null,
    ])
    const working = { kind: 'working', thread_id: 't1', state: 'planning' }
    const lists = { active_constraints: [], next_actions: [], open_questions: [] }
    const { id: other } = await create(app, {
      ...fact({ scope }),
      type: 'working',
      payload: { ...working, ...lists },
    })
    app.clock.advance(31 * 60_000)
    const promoted = await run('decay', { scope })
    expect(promoted.stats.promoted_episodic).toBe(1)
    await undo(promoted)
    await run('decay', { scope })
    expect((await read(app, other)).layer).not.toBe('working')
  })
})

it('undo of a merge makes the sources active again', async () => {
  const { app: dreaming, dream } = await openDreamApp(answerBySchema(summarizeByFirst))
  const ids = await createSimilarRecords(dreaming, buildSimilarTexts('Orion'))
  const merged = await dream(['cluster'])
  expect(merged.stats).toMatchObject({ records_merged: ids.length })
  await undo(merged, {}, dreaming)
  expect(new Set(await readStatuses(dreaming, ids))).toEqual(new Set(['active']))
  expect(await listBrokenLaws(dreaming)).toEqual([])
})

it('a name that is neither an action nor an id is refused', async () => {
  const { id } = await run('decay', { scope: createScope() })
  const path = `/v1/maintenance/runs/${id}/undo`
  const answer = await app.request('POST', path, { body: { ...reason, only: ['compres'] } })
  expectProblem(answer, 422, 'validation_failed')
})

it('an action that the job of the run never makes is refused, and names its place', async () => {
  const scope = createScope()
  const ran = { decay: await run('decay', { scope }), dream: await run('dream', { scope }) }
  const ask = (job: keyof typeof ran, only: string[]) =>
    app.request('POST', `/v1/maintenance/runs/${ran[job].id}/undo`, { body: { ...reason, only } })
  const refused = [await ask('decay', ['prune', 'merge']), await ask('dream', ['compress'])]
  for (const answer of refused) expectProblem(answer, 422, 'validation_failed')
  expect(refused.flatMap(pointersOf)).toEqual(['/only/1', '/only/0'])
  expect((await ask('decay', ['prune', ran.decay.id])).status).toBe(202)
})

it('what a dream promoted can be named in its plan and in an undo', async () => {
  const scope = createScope()
  const { id } = await create(app, { type: 'working', payload: payloads.working, scope })
  app.clock.advance(3_600_000)
  const options = { steps: ['forget'] }
  const prepared = await plan(app, 'dream', { scope, options })
  expect((await listPlanChanges(app, prepared)).map(({ action }) => action)).toContain('promote')
  const applied = await apply(app, prepared, { only: ['promote'] })
  expect((await read(app, id)).layer).toBe('episodic')
  expect((await undo(applied, { only: ['promote'] })).stats).toMatchObject({ undone: 1 })
  expect((await read(app, id)).layer).toBe('working')
})

it('the importance that a run moved can be named by the record or as an action', async () => {
  const scope = createScope()
  const make = async () => (await create(app, fact({ scope, base_importance: 0.9 }))).id
  const ids: string[] = [await make(), await make()]
  const scores = () => Promise.all(ids.map(async (id) => (await read(app, id)).importance))
  const before = await scores()
  app.clock.advance(90 * day)
  const refreshed = await run('refresh_importance', { scope })
  const after = await scores()
  expect(after[0]).toBeLessThan(before[0])
  expect((await undo(refreshed, { only: [ids[0]] })).stats).toMatchObject({ undone: 1 })
  expect(await scores()).toEqual([before[0], after[1]])
  expect((await undo(refreshed, { only: ['rescore'] })).stats).toMatchObject({ undone: 1, kept: 0 })
  expect(await scores()).toEqual(before)
  expect((await undo(refreshed)).stats).toMatchObject({ undone: 0 })
})
