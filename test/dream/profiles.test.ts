import { expect, it } from 'vitest'
import {
  answerBySchema,
  buildFiveNotes,
  createEntityWithFacts,
  createFactAbout,
  listPeerCards,
  openDreamApp,
  parsePromptDocument,
  profileWriter,
  readDreamTables,
  readPeerCardId,
  shareDreamApp,
} from '../support/apps/dream-app.ts'
import { respond } from '../support/models/chat-server.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'

const steps = ['peer_cards'] as const
const openApp = shareDreamApp()

it('the step peer_cards writes one profile from the facts of an entity that has enough of them', async () => {
  const { app, dream, listRunChanges, takeModelRequests } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  const vega = await createEntityWithFacts(app, 'Vega', buildFiveNotes('Vega').slice(1))
  const run = await dream(steps)
  expect(run.stats).toMatchObject({ cards_created: 1, cards_replaced: 0, cards_rejected: 0, model_calls: 1 })
  const [question] = takeModelRequests().map(parsePromptDocument)
  expect(question).toMatchObject({ entity: { name: 'Orion', type: 'Project' } })
  expect(question.records.map(({ says }: Body) => says)).toEqual(
    buildFiveNotes('Orion')
      .reverse()
      .map((note) => `team noted ${note}`),
  )
  expect(await readPeerCardId(app, vega.id)).toBeUndefined()
  const id = await readPeerCardId(app, orion.id)
  const card = await read(app, id ?? '')
  expect(card).toMatchObject({
    type: 'semantic',
    tags: ['peer-card'],
    source_type: 'dream',
    sensitivity: 'low',
    status: 'active',
    payload: { subject: orion.id, predicate: 'profile', object: 'known by 5 records' },
    provenance: { created_by: 'dream/peer_cards' },
  })
  expect(card.audit_log).toMatchObject([{ action: 'create', actor: 'dream/peer_cards', run_id: run.id }])
  const sources = card.relations.filter(({ predicate }: Body) => predicate === 'derived_from')
  expect(sources.map((edge: Body) => edge.target_id).sort()).toEqual([orion.id, ...orion.known].sort())
  const changes = await listRunChanges(run)
  expect(changes).toMatchObject([{ record_id: id, action: 'create' }])
  expect(JSON.stringify(changes)).not.toContain('known by')
})

it('the step peer_cards replaces a profile only when its facts changed', async () => {
  const { app, dream, takeModelRequests } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  const first = (await readPeerCardId(app, orion.id)) ?? ''
  const before = await readDreamTables(app)
  takeModelRequests()
  const idle = await dream(steps)
  expect(idle.stats).toMatchObject({ cards_created: 0, cards_replaced: 0, model_calls: 0 })
  expect(takeModelRequests()).toEqual([])
  expect(await readDreamTables(app)).toEqual(before)

  await createFactAbout(app, orion.id, 'a sixth thing')
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 0, cards_replaced: 1 })
  const second = (await readPeerCardId(app, orion.id)) ?? ''
  expect(second).not.toBe(first)
  expect(await read(app, second)).toMatchObject({
    payload: { object: 'known by 6 records', revision: { supersedes: first, status: 'active' } },
  })
  expect(await read(app, first)).toMatchObject({
    status: 'superseded',
    payload: { object: 'known by 5 records' },
  })
  const { body: lineage } = await app.request('GET', `/v1/records/${second}/lineage`)
  expect((lineage as Body).edges).toContainEqual({
    source_id: second,
    predicate: 'supersedes',
    target_id: first,
  })
  expect(await listPeerCards(app)).toHaveLength(2)
})

it('the step peer_cards keeps two cards that a client created, over several runs', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  const vega = await createEntityWithFacts(app, 'Vega', buildFiveNotes('Vega'))
  for (const { id } of [orion, vega, orion]) {
    const relations = [{ predicate: 'subject_entity', target_id: id }]
    const payload = { kind: 'semantic', subject: id, predicate: 'profile', object: 'by hand' }
    if ((await listPeerCards(app)).length < 2) {
      await create(app, { type: 'semantic', tags: ['peer-card'], payload, relations })
    }
  }
  const planted = await listPeerCards(app)
  for (let night = 0; night < 3; night++) {
    await createFactAbout(app, orion.id, `night ${night}`)
    await dream(steps)
  }
  expect(await listPeerCards(app)).toEqual(planted)
})

it('the step peer_cards leaves two profiles of one entity as a client changed them', async () => {
  const { app, dream, takeModelRequests } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  const payload = { kind: 'semantic', subject: orion.id, predicate: 'profile', object: 'by hand' }
  await create(app, { type: 'semantic', tags: ['peer-card'], payload })
  const both = await listPeerCards(app)
  takeModelRequests()
  await createFactAbout(app, orion.id, 'something new')
  await dream(steps)
  await dream(steps)
  expect(await listPeerCards(app)).toEqual(both)
  expect(takeModelRequests()).toEqual([])
})

it.each(['entity', 'card'] as const)('the step peer_cards leaves a pinned %s alone', async (which) => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  const card = (await readPeerCardId(app, orion.id)) ?? ''
  const pinned = which === 'card' ? card : orion.id
  await app.request('POST', `/v1/records/${pinned}/pin`, { body: { actor: 'a', rationale: 'r' } })
  await createFactAbout(app, orion.id, 'something new')
  const before = await readDreamTables(app)
  await dream(steps)
  expect(await readDreamTables(app)).toEqual(before)
  expect(await readPeerCardId(app, orion.id)).toBe(card)
})

it('a profile contains no fact that a reader of its entity may not see', async () => {
  const { app, dream, takeModelRequests } = await openDreamApp(profileWriter, {
    MEMBRANE_LLM_MAX_SENSITIVITY: 'medium',
  })
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  const hidden = await createEntityWithFacts(app, 'Hidden', buildFiveNotes('Hidden'), {
    sensitivity: 'high',
    entity: { sensitivity: 'high' },
  })
  await createFactAbout(app, orion.id, 'too medium to tell', { sensitivity: 'medium' })
  await createFactAbout(app, orion.id, 'elsewhere', { scope: 'team' })
  await dream(steps)
  expect(takeModelRequests().map(parsePromptDocument)).toMatchObject([
    { records: [1, 2, 3, 4, 5].map(() => ({})) },
  ])
  expect(await readPeerCardId(app, hidden.id)).toBeUndefined()
})

it('an entity does not name its peer card to a key that may not see the card', async () => {
  const { app, dream } = await openApp(profileWriter)
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  await dream(steps)
  const card = (await readPeerCardId(app, orion.id)) ?? ''
  const key = await app.issueKey(['records:read'], { max_sensitivity: 'low' })
  expect(await readPeerCardId(app, orion.id, key)).toBe(card)
  await app.request('PATCH', `/v1/records/${card}`, { body: { sensitivity: 'high' } })
  expect(await readPeerCardId(app, orion.id, key)).toBeUndefined()
  expect(await readPeerCardId(app, orion.id)).toBe(card)
})

it('the step peer_cards refuses an answer without a text that can be stored, and does not ask again', async () => {
  const answers: Record<string, unknown> = {
    'no object': 'a profile',
    nothing: { profile: ' ' },
    'no text': { profile: { text: 'x' } },
    'a book': { profile: 'x'.repeat(4_001) },
    'half a character': { profile: 'x\ud800' },
    'a NUL': { profile: 'x\0' },
  }
  const profile = ({ entity: { name } }: Body) => answers[name]
  const { app, model, dream, takeModelRequests } = await openApp(answerBySchema({ profile }))
  const ids: string[] = []
  for (const name of Object.keys(answers))
    ids.push((await createEntityWithFacts(app, name, buildFiveNotes(name))).id)
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 0, cards_rejected: 6, model_calls: 6 })
  model.behave(profileWriter)
  takeModelRequests()
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 0, model_calls: 0 })
  await createFactAbout(app, ids[0] ?? '', 'something new')
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 1, model_calls: 1 })
})

it('the step peer_cards continues after one refused question, and stops when the model is unavailable', async () => {
  const { app, model, dream, takeModelRequests } = await openApp((response, seen) => {
    const isFirst = model.requests.length === 1
    return isFirst
      ? respond(413, { error: { message: 'no' } })(response, seen)
      : profileWriter(response, seen)
  })
  for (const name of ['Orion', 'Vega']) await createEntityWithFacts(app, name, buildFiveNotes(name))
  await dream(steps)
  takeModelRequests()
  model.behave(respond(503, {}))
  await createEntityWithFacts(app, 'Sirius', buildFiveNotes('Sirius'))
  const away = await dream(steps)
  expect(away.stats.cards_created).toBe(0)
  model.behave(profileWriter)
  await dream(steps)
  expect(await listPeerCards(app)).toHaveLength(3)
})

it('the step peer_cards calls the model in a dry run only with ask_model, and writes nothing', async () => {
  const { app, dream, takeModelRequests } = await openApp(profileWriter)
  await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  const before = await readDreamTables(app)
  expect((await dream(steps, { dry_run: true })).stats).toMatchObject({ cards_created: 0, model_calls: 0 })
  expect(takeModelRequests()).toEqual([])
  const run = await dream(steps, { dry_run: true, options: { ask_model: true } })
  expect(run.stats).toMatchObject({ cards_created: 1, model_calls: 1 })
  expect(await readDreamTables(app)).toEqual(before)
})

it('the step peer_cards masks secrets in the prompt', async () => {
  const { app, dream, model } = await openApp(profileWriter)
  const notes = ['password=hunter22', 'token: abc12345678', ...buildFiveNotes('Orion')]
  await createEntityWithFacts(app, 'Orion', notes)
  await dream(steps)
  expect(model.requests).toHaveLength(1)
  expect(model.requests[0]?.text).not.toMatch(/hunter22|abc12345678/)
})

it('the step peer_cards discards a profile when a fact changed during the model call', async () => {
  const { app, model, dream } = await openApp()
  const orion = await createEntityWithFacts(app, 'Orion', [...buildFiveNotes('Orion'), 'a sixth thing'])
  model.behave(async (response, seen) => {
    model.behave(profileWriter)
    const body = { actor: 'a', rationale: 'wrong' }
    await app.request('POST', `/v1/records/${orion.known[0]}/retract`, { body })
    await profileWriter(response, seen)
  })
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 0, cards_outdated: 1 })
  expect(await listPeerCards(app)).toEqual([])
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 1, cards_outdated: 0 })
})

it('the step peer_cards writes a profile for an entity that gets a new fact during every model call', async () => {
  const { app, model, dream } = await openApp()
  const orion = await createEntityWithFacts(app, 'Orion', buildFiveNotes('Orion'))
  model.behave(async (response, seen) => {
    await createFactAbout(app, orion.id, `news ${model.requests.length}`)
    await profileWriter(response, seen)
  })
  expect((await dream(steps)).stats).toMatchObject({ cards_created: 1, cards_outdated: 0 })
  expect((await dream(steps)).stats).toMatchObject({ cards_replaced: 1, cards_outdated: 0 })
})
