import { expect, it } from 'vitest'
import { answering } from '../support/chat-server.ts'
import { documentOf, minding, openMind, readStore } from '../support/dream-app.ts'
import { hireEmbedder } from '../support/embedding-workers.ts'
import { type Body, create, read } from '../support/record-requests.ts'
import { faithful, gather, saying, sayings, statusesOf, summariesIn } from '../support/similar-records.ts'
import type { TestApp } from '../support/test-app.ts'

const steps = ['cluster'] as const
const told = { actor: 'ada', rationale: 'meanwhile' }
const all = (count: number, status: string) => Array.from({ length: count }, () => status)

const meanwhile: Record<string, (app: TestApp, id: string) => Promise<unknown>> = {
  'is pinned': (app, id) => app.request('POST', `/v1/records/${id}/pin`, { body: told }),
  'is forgotten': (app, id) => app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=meanwhile`),
  'is retracted': (app, id) => app.request('POST', `/v1/records/${id}/retract`, { body: told }),
  'is erased': (app, id) => app.request('POST', `/v1/records/${id}/erase`, { body: told }),
  'says something else': (app, id) =>
    app.request('POST', `/v1/records/${id}/supersede`, {
      body: {
        ...told,
        record: { ...saying('something else'), provenance: { sources: [{ kind: 'event', ref: 'r' }] } },
      },
    }),
}

it.each(Object.keys(meanwhile))(
  'a source that %s while the model reads keeps the group apart',
  async (name) => {
    const { app, model, dream } = await openMind(undefined, {
      MEMBRANE_TOMBSTONE_KEY: 'a key of the dream tests',
    })
    const ids = await gather(app, sayings('Orion'))
    const [, , moved = '', ...rest] = ids
    model.behave(async (response, seen) => {
      await meanwhile[name]?.(app, moved)
      return answering({ summary: documentOf(seen).memories[0].says })(response, seen)
    })
    const { stats } = await dream(steps)
    expect(stats).toMatchObject({ clusters_merged: 0, clusters_rejected: 0, model_calls: 1 })
    expect(await summariesIn(app)).toEqual([])
    expect(await statusesOf(app, rest)).toEqual(all(3, 'active'))
    const before = await readStore(app)
    model.behave(minding(faithful))
    await dream(steps, { dry_run: true })
    expect(await readStore(app)).toEqual(before)
    expect((await dream(steps)).stats).toMatchObject({ clusters_merged: 1, records_merged: 5 })
  },
)

it('a rehearsal asks nobody unless it is told to, and changes nothing either way', async () => {
  const { app, dream, changesOf, takeQuestions } = await openMind(minding(faithful))
  await gather(app, sayings('Orion'))
  const before = await readStore(app)
  const quiet = await dream(steps, { dry_run: true })
  expect(quiet.stats).toMatchObject({ clusters_merged: 0, cluster_candidates: 1, model_calls: 0 })
  expect(takeQuestions()).toEqual([])
  const asking = await dream(steps, { dry_run: true, options: { ask_model: true } })
  expect(asking.stats).toMatchObject({ clusters_merged: 1, records_merged: 6, cluster_candidates: 0 })
  expect((await changesOf(asking)).filter(({ action }) => action === 'merge')).toHaveLength(6)
  expect(takeQuestions()).toHaveLength(1)
  expect(await readStore(app)).toEqual(before)
})

it('what is counted of the parts is counted of the whole, and their links lead to it', async () => {
  const { app, dream } = await openMind(minding(faithful))
  const { id: entity } = await create(app, {
    type: 'entity',
    payload: { kind: 'entity', canonical_name: 'Orion', primary_type: 'Project' },
  })
  const relations = [{ predicate: 'subject_entity', target_id: entity }]
  const ids = await gather(app, sayings('Orion'), { relations, confidence: 0.9 })
  for (const id of ids.slice(0, 3)) {
    await app.request('POST', `/v1/records/${id}/access`, { body: { actor: 'ada' } })
  }
  await dream(steps)
  const [summary] = await summariesIn(app)
  const made = await read(app, summary?.id ?? '')
  expect(made).toMatchObject({ access_count: 3, confidence: 0.9 })
  const linked = made.relations.filter(({ predicate }: Body) => predicate === 'subject_entity')
  expect(linked).toMatchObject([{ target_id: entity }])
})

it('what was erased is not told again by a summary that says the same', async () => {
  const { app, dream, takeQuestions } = await openMind(minding(faithful), {
    MEMBRANE_TOMBSTONE_KEY: 'a key of the dream tests',
  })
  const ids = await gather(app, sayings('Orion'))
  const said = `release noted ${sayings('Orion')[0]}`
  const same = await create(app, {
    type: 'semantic',
    payload: { kind: 'semantic', subject: 'release', predicate: 'summary', object: said },
  })
  await app.request('POST', `/v1/records/${same.id}/erase`, { body: told })
  await hireEmbedder(app).run()
  expect((await dream(steps)).stats).toMatchObject({ clusters_merged: 0, clusters_rejected: 1 })
  expect(await statusesOf(app, ids)).toEqual(all(6, 'active'))
  takeQuestions()
  await dream(steps)
  expect(takeQuestions()).toEqual([])
})
