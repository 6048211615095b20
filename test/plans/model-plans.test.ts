import { expect, it } from 'vitest'
import {
  answerBySchema,
  buildFiveNotes,
  createEntityWithFacts,
  listPeerCards,
  readPeerCardId,
  shareDreamApp,
} from '../support/apps/dream-app.ts'
import { respondWithJson } from '../support/models/chat-server.ts'
import {
  captureEpisode,
  createScope,
  listFacts,
  listRunChanges,
} from '../support/requests/consolidation-requests.ts'
import { apply, listPlanChanges, plan } from '../support/requests/plan-requests.ts'
import { read } from '../support/requests/record-requests.ts'

/** A plan keeps what the model answered: what was shown is what is done. */

const openApp = shareDreamApp()
const prefers = (object: string) =>
  respondWithJson({ facts: [{ subject: 'Ada', predicate: 'prefers', object }] })

it('a plan of extraction stores the facts that were shown, and asks the model no second time', async () => {
  const { app, model } = await openApp(prefers('tea'))
  const scope = createScope()
  await captureEpisode(app, 'a talk with Ada', { outcome: 'partial' }, { scope })
  const prepared = await plan(app, 'consolidate', { scope, options: { ask_model: true } })
  const asked = model.requests.length
  expect(asked).toBeGreaterThan(0)
  const shown = (await listPlanChanges(app, prepared)).filter(({ action }) => action === 'create')
  expect(shown).toMatchObject([{ type: 'semantic', why: expect.stringContaining('tea') }])
  expect(await listFacts(app, scope)).toEqual([])
  model.behave(prefers('coffee'))
  expect((await apply(app, prepared)).stats).toMatchObject({ skipped: 0 })
  const stored = await listFacts(app, scope)
  expect(stored.map(({ id, payload }) => [id, payload.object])).toEqual([[shown[0]?.record_id, 'tea']])
  expect(model.requests).toHaveLength(asked)
})

it('a plan of a dream writes the profile that was shown, and asks a model only with the option', async () => {
  const { app, model } = await openApp(answerBySchema({ profile: { profile: 'leads the team' } }))
  const { id } = await createEntityWithFacts(app, 'Ada', buildFiveNotes('Ada'))
  await plan(app, 'dream', { options: { steps: ['peer_cards'] } })
  expect(model.requests).toEqual([])
  const prepared = await plan(app, 'dream', { options: { steps: ['peer_cards'], ask_model: true } })
  expect(model.requests).toHaveLength(1)
  expect(await readPeerCardId(app, id)).toBeUndefined()
  model.behave(answerBySchema({ profile: { profile: 'left the team' } }))
  expect((await apply(app, prepared)).stats).toMatchObject({ skipped: 0 })
  const card = (await readPeerCardId(app, id)) ?? ''
  expect((await listPlanChanges(app, prepared)).map(({ record_id }) => record_id)).toContain(card)
  expect((await read(app, card)).payload).toMatchObject({ object: 'leads the team' })
  expect(model.requests).toHaveLength(1)
})

it.each([
  ['more sensitive', { sensitivity: 'high' }],
  ['of another scope', { scope: 'board' }],
])('a plan neither shows nor writes a profile of a record that is %s now', async (_, change) => {
  const { app } = await openApp(answerBySchema({ profile: { profile: 'leads the team' } }))
  const low = { key: await app.issueKey(['records:read'], { max_sensitivity: 'low', scopes: ['team'] }) }
  const more = { scope: 'team', entity: { scope: 'team' } }
  const { id, known } = await createEntityWithFacts(app, 'Ada', buildFiveNotes('Ada'), more)
  const options = { steps: ['peer_cards'], ask_model: true }
  const prepared = await plan(app, 'dream', { options, scope: 'team' })
  expect(JSON.stringify(await listPlanChanges(app, prepared, '', low))).toContain('leads the team')
  await app.request('PATCH', `/v1/records/${known[0]}`, { body: change })
  expect(await listPlanChanges(app, prepared, '', low)).toEqual([])
  expect((await apply(app, prepared)).stats).toMatchObject({ applied: 0, skipped: 1 })
  expect(await readPeerCardId(app, id)).toBeUndefined()
})

it('a plan writes no profile beside one that a dream wrote since', async () => {
  const { app, dream } = await openApp(answerBySchema({ profile: { profile: 'leads the team' } }))
  const { id } = await createEntityWithFacts(app, 'Ada', buildFiveNotes('Ada'))
  const prepared = await plan(app, 'dream', { options: { steps: ['peer_cards'], ask_model: true } })
  await dream(['peer_cards'])
  const written = await readPeerCardId(app, id)
  const { stats, id: run } = await apply(app, prepared)
  expect(stats).toMatchObject({ applied: 0, skipped: 1 })
  expect((await listRunChanges(app, { id: run }))[0]?.note).toBe('its entity has another profile now')
  expect((await listPeerCards(app)).map((card) => card.id)).toEqual([written])
})
