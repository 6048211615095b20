import { expect, it } from 'vitest'
import {
  answerBySchema,
  buildFiveNotes,
  createEntityWithFacts,
  createFactAbout,
  listPeerCards,
  openDreamApp,
  profileWriter,
  readPeerCardId,
  shareDreamApp,
} from '../support/apps/dream-app.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { respond } from '../support/models/chat-server.ts'
import { capture, readAllRows } from '../support/requests/capture-requests.ts'
import { mergeEntities } from '../support/requests/entity-requests.ts'
import { type Body, read } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'

const steps = ['peer_cards'] as const
const openApp = shareDreamApp({ MEMBRANE_TOMBSTONE_KEY: 'k'.repeat(32) })

async function withdraw(app: TestApp, id: string | undefined, path: string, body: object): Promise<void> {
  const answer = await app.request('POST', `/v1/records/${id}/${path}`, { body: { actor: 'a', ...body } })
  if (answer.status !== 200) throw new Error(answer.text)
}

it('a retracted or forgotten peer card is not written again before the facts change', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  const card = (await readPeerCardId(app, orion.id)) ?? ''
  await app.request('POST', `/v1/records/${card}/retract`, { body: { actor: 'a', rationale: 'wrong' } })
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 0, model_calls: 0 })
  await createFactAbout(app, orion.id, 'something new')
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 1, cards_replaced: 0 })
})

it('the peer card of a merged entity is retracted, with a model or without', async () => {
  const { app, model, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  const merged = await createEntityWithFacts(app, 'Twin', buildFiveNotes('Twin'))
  await dream(steps)
  const left = (await readPeerCardId(app, merged.id)) ?? ''
  await mergeEntities(app, orion.id, [merged.id])
  model.behave(respond(401, {}))
  expect((await dream(steps)).stats).toMatchObject({ cards_dropped: 1, cards_replaced: 0 })
  expect(await read(app, left)).toMatchObject({
    status: 'superseded',
    payload: { object: 'known by 5 records' },
  })
  model.behave(profileWriter)
  expect((await dream(steps)).stats).toMatchObject({ cards_dropped: 0, cards_replaced: 1 })
  const card = (await readPeerCardId(app, orion.id)) ?? ''
  expect((await read(app, card)).payload.object).toBe('known by 10 records')
})

it.each(['record', 'entity'] as const)(
  'erasing a %s erases every peer card derived from it',
  async (which) => {
    const { app, dream } = await openApp(profileWriter)
    const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
    await dream(steps)
    await createFactAbout(app, orion.id, 'something new')
    await dream(steps)
    const cards = (await listPeerCards(app)).map(({ id }) => id)
    expect(cards).toHaveLength(2)
    const erased = which === 'entity' ? orion.id : orion.known[0]
    const body = { actor: 'a', rationale: 'asked for' }
    const { body: receipt } = await app.request('POST', `/v1/records/${erased}/erase`, { body })
    expect((receipt as Body).derived_ids).toEqual(cards.sort())
    expect(await listPeerCards(app)).toEqual([])
  },
)

it('erasing the capture that named an entity erases the peer cards that say the name', async () => {
  const namer = answerBySchema({ profile: (shown: Body) => ({ profile: JSON.stringify(shown) }) })
  const { app, dream } = await openApp(namer)
  const { primary_record: first } = await capture(app, { user: 'Zephyrine Odell', text: 'was here' })
  const id = first.interpretation.mentions[0].canonical_entity_id
  await app.request('PATCH', `/v1/records/${id}`, { body: { payload: { aliases: [{ value: 'Zeph' }] } } })
  await capture(app, { user: 'Zeph', text: 'was there' })
  for (const note of buildFiveNotes('her')) await createFactAbout(app, id, note)
  await app.request('DELETE', `/v1/records/${first.id}?actor=a&rationale=r`)
  await dream(steps)
  const card = (await readPeerCardId(app, id)) ?? ''
  expect((await read(app, card)).payload.object).toContain('Zephyrine')
  const body = { actor: 'a', rationale: 'asked for' }
  const { body: receipt } = await app.request('POST', `/v1/records/${first.id}/erase`, { body })
  expect(receipt).toMatchObject({ derived_ids: [card], kept: [id] })
  expect((await readAllRows(app)).join('\n').toLowerCase()).not.toContain('zephyrine')
  expect(await listBrokenLaws(app)).toEqual([])
})

it('a peer card without its entry in peer_cards still belongs to its entity', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  await app.database.pool.query('delete from peer_cards')
  await dream(steps)
  expect(await listPeerCards(app)).toMatchObject([{ status: 'active' }])
  await createFactAbout(app, orion.id, 'something new')
  expect((await dream(steps)).stats).toMatchObject({ cards_replaced: 1 })
})

it('a peer card gets the sensitivity of its entity', async () => {
  const { app, dream } = await openDreamApp(profileWriter, { MEMBRANE_LLM_MAX_SENSITIVITY: 'high' })
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  const card = (await readPeerCardId(app, orion.id)) ?? ''
  await app.request('PATCH', `/v1/records/${orion.id}`, { body: { sensitivity: 'high' } })
  expect(await read(app, card)).toMatchObject({ sensitivity: 'high' })
  expect((await dream(steps)).stats).toMatchObject({ cards_confirmed: 1 })
  await app.request('PATCH', `/v1/records/${orion.id}`, { body: { sensitivity: 'medium' } })
  expect((await dream(steps)).stats).toMatchObject({ cards_replaced: 1 })
  expect(await read(app, (await readPeerCardId(app, orion.id)) ?? '')).toMatchObject({
    sensitivity: 'medium',
  })
})

it('the next run continues behind the entities for which the budget was enough', async () => {
  const { app, dream } = await openDreamApp(profileWriter, { MEMBRANE_LLM_MAX_TOKENS_PER_RUN: '150' })
  const entities = []
  for (const name of ['Orion', 'Vega', 'Lyra'])
    entities.push(await createEntityWithFacts(app, name, buildFiveNotes(name)))
  const written: number[] = []
  for (let night = 0; night < 2; night++) {
    for (const { id } of entities) await createFactAbout(app, id, `night ${night}`)
    await dream(steps)
    const cards = await Promise.all(entities.map(({ id }) => readPeerCardId(app, id)))
    written.push(cards.filter((card) => card !== undefined).length)
  }
  expect(written).toEqual([2, 3])
})

it('a peer card of a record that was challenged goes when too few others remain', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  const card = (await readPeerCardId(app, orion.id)) ?? ''
  expect((await dream(steps)).stats).toMatchObject({ cards_dropped: 0 })
  await withdraw(app, orion.known[0], 'status', { reason: 'unsure', status: 'challenged' })
  expect((await dream(steps)).stats).toMatchObject({ cards_dropped: 1, model_calls: 0 })
  expect(await readPeerCardId(app, orion.id)).toBeUndefined()
  expect(await read(app, card)).toMatchObject({ status: 'superseded' })
  await createFactAbout(app, orion.id, 'something new')
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 1, cards_dropped: 0 })
})

it.each([
  ['retracted', 'retract', { rationale: 'wrong' }],
  ['invalidated', 'status', { reason: 'wrong', status: 'invalidated' }],
])('a peer card of a record that was %s goes at once', async (_, path, body) => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  const card = (await readPeerCardId(app, orion.id)) ?? ''
  await withdraw(app, orion.known[0], path, body)
  expect(await readPeerCardId(app, orion.id)).toBeUndefined()
  const retired = await read(app, card)
  expect(retired).toMatchObject({ status: 'superseded', salience: 0 })
  expect(retired.audit_log.at(-1)).toMatchObject({ action: 'revise', rationale: 'a source was retracted' })
  expect(await listBrokenLaws(app)).toEqual([])
  expect((await dream(steps)).stats).toMatchObject({ cards_dropped: 0, model_calls: 0 })
  await createFactAbout(app, orion.id, 'something new')
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 1, cards_dropped: 0 })
})

it('a peer card is written again when the retraction of its source is taken back', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  await withdraw(app, orion.known[0], 'retract', { rationale: 'wrong' })
  const { audit_log: log } = await read(app, orion.known[0] ?? '')
  const body = { actor: 'a', rationale: 'right after all', operation_id: log.at(-1).operation_id }
  const reverted = await app.request('POST', `/v1/records/${orion.known[0]}/revert`, { body })
  expect(reverted.status, reverted.text).toBe(200)
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 1 })
  expect((await listPeerCards(app)).map(({ status }) => status)).toEqual(['superseded', 'active'])
})

it('a peer card of a record that was moved to another scope is written again from the others', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  const card = (await readPeerCardId(app, orion.id)) ?? ''
  const body = { scope: 'elsewhere' }
  const changed = await app.request('PATCH', `/v1/records/${orion.known[0]}`, { body })
  expect(changed.status).toBe(200)
  expect(await readPeerCardId(app, orion.id)).toBeUndefined()
  expect((await app.request('GET', `/v1/records/${card}`)).status).toBe(410)
  expect((await dream(steps)).stats).toMatchObject({ cards_dropped: 0, model_calls: 0 })
  await createFactAbout(app, orion.id, 'something new')
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 1, cards_dropped: 0 })
})

it('a peer card is written again when its challenged source is active again', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  const set = (status: string) =>
    app.request('POST', `/v1/records/${orion.known[0]}/status`, { body: { status, actor: 'a', reason: 'b' } })
  await set('challenged')
  const dropped = await dream(steps)
  expect(dropped.stats).toMatchObject({ cards_dropped: 1 })
  await set('active')
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 1 })
  expect((await dream(steps)).stats).toMatchObject({ cards_dropped: 0, model_calls: 0 })
})

it('a peer card whose sources were only forgotten stays', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  await app.request('DELETE', `/v1/records/${orion.known[0]}?actor=a&rationale=b`)
  expect((await dream(steps)).stats).toMatchObject({ cards_dropped: 0 })
  expect(await readPeerCardId(app, orion.id)).toBeDefined()
})
