import { expect, it } from 'vitest'
import { sending } from '../support/chat-server.ts'
import { cardOf, cardsIn, fiveOf, minding, openMind, tellFact, tellOf } from '../support/dream-app.ts'
import { mergeInto } from '../support/entity-requests.ts'
import { type Body, read } from '../support/record-requests.ts'

const steps = ['peer_cards'] as const
/** Says how many records it was shown. */
const writer = minding({
  profile: ({ records }: Body) => ({ profile: `known by ${records.length} records` }),
})

it('a card that was retracted or forgotten does not come back until there is something new to say', async () => {
  const { app, dream } = await openMind(writer)
  const orion = await tellOf(app, 'Orion', fiveOf('Orion'))
  await dream(steps)
  const card = (await cardOf(app, orion.id)) ?? ''
  await app.request('POST', `/v1/records/${card}/retract`, { body: { actor: 'a', rationale: 'wrong' } })
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 0, model_calls: 0 })
  await tellFact(app, orion.id, 'something new')
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 1, cards_replaced: 0 })
})

it('the card of an entity that was folded into another gives way, with a model or without', async () => {
  const { app, model, dream } = await openMind(writer)
  const orion = await tellOf(app, 'Orion', fiveOf('Orion'))
  const twin = await tellOf(app, 'Twin', fiveOf('Twin'))
  await dream(steps)
  const left = (await cardOf(app, twin.id)) ?? ''
  await mergeInto(app, orion.id, [twin.id])
  model.behave(sending(401, {}))
  expect((await dream(steps)).stats).toMatchObject({ cards_dropped: 1, cards_replaced: 0 })
  expect(await read(app, left)).toMatchObject({
    status: 'superseded',
    payload: { object: 'known by 5 records' },
  })
  model.behave(writer)
  expect((await dream(steps)).stats).toMatchObject({ cards_dropped: 0, cards_replaced: 1 })
  const card = (await cardOf(app, orion.id)) ?? ''
  expect((await read(app, card)).payload.object).toBe('known by 10 records')
})

it.each(['record', 'entity'] as const)(
  'the erasure of a %s takes every card that was made of it',
  async (which) => {
    const { app, dream } = await openMind(writer, { MEMBRANE_TOMBSTONE_KEY: 'k'.repeat(32) })
    const orion = await tellOf(app, 'Orion', fiveOf('Orion'))
    await dream(steps)
    await tellFact(app, orion.id, 'something new')
    await dream(steps)
    const cards = (await cardsIn(app)).map(({ id }) => id)
    expect(cards).toHaveLength(2)
    const erased = which === 'entity' ? orion.id : orion.known[0]
    const body = { actor: 'a', rationale: 'asked for' }
    const { body: receipt } = await app.request('POST', `/v1/records/${erased}/erase`, { body })
    expect((receipt as Body).derived_ids).toEqual(cards.sort())
    expect(await cardsIn(app)).toEqual([])
  },
)

it('a card of which nobody has noted that a dream wrote it is still its own', async () => {
  const { app, dream } = await openMind(writer)
  const orion = await tellOf(app, 'Orion', fiveOf('Orion'))
  await dream(steps)
  await app.database.pool.query('delete from peer_cards')
  await dream(steps)
  expect(await cardsIn(app)).toMatchObject([{ status: 'active' }])
  await tellFact(app, orion.id, 'something new')
  expect((await dream(steps)).stats).toMatchObject({ cards_replaced: 1 })
})

it('a profile becomes as sensitive as whom it is of', async () => {
  const { app, dream } = await openMind(writer, { MEMBRANE_LLM_MAX_SENSITIVITY: 'high' })
  const orion = await tellOf(app, 'Orion', fiveOf('Orion'))
  await dream(steps)
  await app.request('PATCH', `/v1/records/${orion.id}`, { body: { sensitivity: 'high' } })
  expect((await dream(steps)).stats).toMatchObject({ cards_replaced: 1 })
  expect(await read(app, (await cardOf(app, orion.id)) ?? '')).toMatchObject({ sensitivity: 'high' })
})

it('where there is more to ask than a run may, the next goes on behind it', async () => {
  const { app, dream } = await openMind(writer, { MEMBRANE_LLM_MAX_TOKENS_PER_RUN: '150' })
  const entities = []
  for (const name of ['Orion', 'Vega', 'Lyra', 'Deneb']) entities.push(await tellOf(app, name, fiveOf(name)))
  const written: number[] = []
  for (let night = 0; night < 4; night++) {
    for (const { id } of entities) await tellFact(app, id, `night ${night}`)
    await dream(steps)
    const cards = await Promise.all(entities.map(({ id }) => cardOf(app, id)))
    written.push(cards.filter((card) => card !== undefined).length)
  }
  expect(written).toEqual([2, 4, 4, 4])
})
