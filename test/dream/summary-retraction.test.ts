import { expect, it } from 'vitest'
import { breachesOf } from '../support/broken-laws.ts'
import { consolidate, experience } from '../support/consolidation-requests.ts'
import { minding, openMind } from '../support/dream-app.ts'
import { hireEmbedder } from '../support/embedding-workers.ts'
import { type Body, expectProblem, read } from '../support/record-requests.ts'
import { faithful, gather, sayings, statusesOf, summariesIn } from '../support/similar-records.ts'

const steps = ['cluster'] as const
const all = (count: number, status: string) => Array.from({ length: count }, () => status)
const asked = { actor: 'ada', rationale: 'it says too little' }

async function merged() {
  const mind = await openMind(minding(faithful), { MEMBRANE_TOMBSTONE_KEY: 'ab'.repeat(32) })
  const ids = await gather(mind.app, sayings('Orion'))
  await mind.dream(steps)
  const [summary] = await summariesIn(mind.app)
  mind.takeQuestions()
  return { ...mind, ids, summary: summary?.id ?? '' }
}

it('a summary that is retracted gives back what it was made of, and no dream takes it again', async () => {
  const { app, ids, summary, dream, takeQuestions } = await merged()
  const retract = () => app.request('POST', `/v1/records/${summary}/retract`, { body: asked })
  expect((await retract()).status).toBe(200)
  expect((await read(app, summary)).status).toBe('invalidated')
  for (const [n, id] of ids.entries()) {
    const source = await read(app, id)
    expect(source).toMatchObject({
      status: 'active',
      payload: { object: sayings('Orion')[n], revision: { status: 'active' } },
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
  await hireEmbedder(app).run()
  expect((await dream(steps)).stats).toMatchObject({ clusters_merged: 0, cluster_candidates: 0 })
  expect(takeQuestions()).toEqual([])
  expect(await statusesOf(app, ids)).toEqual(all(6, 'active'))
})

it('a merge is reverted by nobody but who takes the summary back', async () => {
  const { app, ids } = await merged()
  const body = { status: 'active', reason: 'r', actor: 'ada' }
  expectProblem(
    await app.request('POST', `/v1/records/${ids[0]}/status`, { body }),
    409,
    'invalid_transition',
  )
})

it('what was merged by hand stays merged when what came of it is retracted', async () => {
  const { app } = await openMind()
  const ids = await gather(app, sayings('Orion', 2))
  const record = {
    type: 'semantic',
    payload: { kind: 'semantic', subject: 's', predicate: 'p', object: 'o' },
    provenance: { sources: [{ kind: 'event', ref: 'r' }] },
  }
  const { body } = await app.request('POST', '/v1/records/merge', { body: { ids, record, ...asked } })
  const { id } = (body as Body).record
  expect((await app.request('POST', `/v1/records/${id}/retract`, { body: asked })).status).toBe(200)
  expect(await statusesOf(app, ids)).toEqual(all(2, 'merged'))
})

it('an erased source takes the summary with it, and the next dream gives back the others', async () => {
  const { app, ids, summary, dream, changesOf } = await merged()
  const [first = '', ...others] = ids
  const erased = await app.request('POST', `/v1/records/${first}/erase`, {
    body: { ...asked, cascade: true },
  })
  expect(erased, erased.text).toMatchObject({ status: 200 })
  expect((erased.body as Body).derived_ids).toEqual([summary])
  expectProblem(await app.request('GET', `/v1/records/${summary}`), 410, 'record_erased')
  expect(await statusesOf(app, others)).toEqual(all(5, 'merged'))
  const run = await dream(steps)
  expect(run.stats.records_unmerged).toBe(5)
  expect(await statusesOf(app, others)).toEqual(all(5, 'active'))
  expect((await changesOf(run)).map(({ action }) => action)).toEqual(all(5, 'unmerge'))
  expect((await dream(steps)).stats.records_unmerged).toBe(0)
})

it('an episode that was told as one with others before anybody learnt from it still teaches', async () => {
  const { app, dream } = await openMind(minding(faithful))
  const episodes: Body[] = []
  for (const said of sayings('Orion')) episodes.push(await experience(app, said))
  await hireEmbedder(app).run()
  expect((await dream(steps)).stats).toMatchObject({ clusters_merged: 1, records_merged: 6 })
  const ids = episodes.map(({ id }) => id)
  expect(await statusesOf(app, ids)).toEqual(all(6, 'merged'))
  app.clock.advance(86_400_000)
  expect((await consolidate(app)).stats).toMatchObject({ semantic_extracted: 6 })
})

it('the laws of the store hold after a merge, its reversal and a dream after that', async () => {
  const { app, summary, dream } = await merged()
  await app.request('POST', `/v1/records/${summary}/retract`, { body: asked })
  await dream(['cluster', 'forget'])
  expect(await breachesOf(app)).toEqual([])
})
