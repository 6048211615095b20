import { expect, it } from 'vitest'
import {
  buildFiveNotes,
  createEntityWithFacts,
  createFactAbout,
  listPeerCards,
  profileWriter,
  readPeerCardId,
  shareDreamApp,
} from '../support/apps/dream-app.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { perform } from '../support/requests/plan-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'

const openApp = shareDreamApp()
const steps = ['peer_cards'] as const
const undo = (app: TestApp, { id }: Body) =>
  perform(app, 'undo', { actor: 'a', rationale: 'b' }, `/v1/maintenance/runs/${id}/undo`)

it('an undone profile does not come back beside a later one', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  const undone = await undo(app, await dream(steps))
  await createFactAbout(app, orion.id, 'something new')
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 1 })
  const again = await undo(app, undone)
  expect((await listPeerCards(app)).map(({ status }) => status)).toEqual(['invalidated', 'active'])
  expect(again.stats).toMatchObject({ undone: 0 })
  expect(await listBrokenLaws(app)).toEqual([])
})

it('a replaced profile does not come back beside a later one', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  await createFactAbout(app, orion.id, 'something new')
  const replacing = await dream(steps)
  await createFactAbout(app, orion.id, 'something newer')
  await dream(steps)
  await undo(app, replacing)
  expect((await listPeerCards(app)).filter(({ status }) => status === 'active')).toHaveLength(1)
  expect(await listBrokenLaws(app)).toEqual([])
})

it('a replaced profile does not come back beside its successor that is kept', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  await createFactAbout(app, orion.id, 'something new')
  const replacing = await dream(steps)
  const card = (await readPeerCardId(app, orion.id)) ?? ''
  await app.request('POST', `/v1/records/${card}/pin`, { body: { actor: 'a', rationale: 'b' } })
  expect((await undo(app, replacing)).stats).toMatchObject({ undone: 0, kept: 2 })
  expect((await listPeerCards(app)).map(({ status }) => status)).toEqual(['superseded', 'active'])
  await app.request('POST', `/v1/records/${card}/unpin`, { body: { actor: 'a', rationale: 'b' } })
  await createFactAbout(app, orion.id, 'something newer')
  expect((await dream(steps)).stats).toMatchObject({ cards_replaced: 1 })
})
