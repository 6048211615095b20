import { afterAll, expect, it } from 'vitest'
import { callTool, connectClient, failTool } from '../support/http/mcp-clients.ts'
import { create, fact, payloads, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
const client = await connectClient(app, { profile: 'lifecycle' })
afterAll(() => app.close())

const call = (name: string, args: object) => callTool(client, name, args as Record<string, unknown>)
const recall = async (query: string, scope: string): Promise<string> =>
  (await call('recall', { query, scope })).text

it('replaces the sentence of a fact with a predicate, and repeats nothing', async () => {
  const scope = 'regions'
  const payload = { ...payloads.semantic, subject: 'shop-api', predicate: 'is deployed to', object: 'Paris' }
  const { id } = await create(app, fact({ scope, payload }))
  const text = 'shop-api is deployed to Dublin.'
  const { record } = await call('revise', { id, op: 'supersede', text, reason: 'moved' })
  expect(record.payload).toMatchObject({ predicate: 'is deployed to', object: 'Dublin' })
  expect(await recall('Where is shop-api deployed?', scope)).toMatch(
    /\] \S+ shop-api is deployed to Dublin\n/,
  )
  const moved = 'The region of shop-api is now Rome.'
  await call('revise', { id: record.id, op: 'supersede', text: moved, reason: 'moved again' })
  expect(await recall('Where is shop-api deployed?', scope)).toMatch(
    /\] \S+ The region of shop-api is now Rome\.\n/,
  )
})

it('takes the name of an entity for the subject that the fact names by its id', async () => {
  const scope = 'named'
  const entity = { ...payloads.entity, canonical_name: 'Orion' }
  const { id: subject } = await create(app, { type: 'entity', scope, payload: entity })
  const relations = [{ predicate: 'subject_entity', target_id: subject }]
  const payload = { ...payloads.semantic, subject, predicate: 'runs in', object: 'Paris' }
  const { id } = await create(app, fact({ scope, relations, payload }))
  const { record } = await call('revise', { id, op: 'supersede', text: 'Orion runs in Oslo.', reason: 'x' })
  expect(record.payload).toMatchObject({ subject, predicate: 'runs in', object: 'Oslo' })
})

it('recalls both sides of a contest, and stores the text against the fact once', async () => {
  const scope = 'meals'
  const { id } = await call('remember', { text: 'Jonas eats only vegetarian food.', about: 'Jonas', scope })
  const contest = { id, op: 'contest', text: 'Jonas eats meat again.', reason: 'he said so' }
  const { record, contested_by: other } = await call('revise', contest)
  expect(record.payload.revision).toEqual({ status: 'contested' })
  expect(await read(app, other.id)).toMatchObject({ scope, source_type: 'ai', payload: { subject: 'Jonas' } })
  const text = await recall('What does Jonas eat?', scope)
  expect(text).toContain('(disputed) Jonas eats only vegetarian food.')
  expect(text).toContain('(disputed) Jonas eats meat again.')
  expect((await call('revise', contest)).contested_by.id).toBe(other.id)
  const same = { id, op: 'contest', text: 'Jonas eats only vegetarian food.', reason: 'x' }
  expect((await failTool(client, 'revise', same)).what).toContain('/text must not be what the fact says')
})

it('stores no text against a fact that cannot be contested', async () => {
  const scope = 'withdrawn'
  const { id } = await call('remember', { text: 'The lift works.', scope })
  await call('revise', { id, op: 'retract', reason: 'x' })
  const contest = { id, op: 'contest', text: 'The lift is broken.', reason: 'x' }
  expect(await failTool(client, 'revise', contest)).toMatchObject({ code: 'already_retracted' })
  expect((await call('recent', { scope })).items).toHaveLength(1)
})

it('lists what a fact said before and after it', async () => {
  const { id } = await call('remember', { text: 'Jonas lives in Leipzig.', about: 'Jonas', scope: 'homes' })
  const text = 'Jonas lives in Berlin.'
  const { record } = await call('revise', { id, op: 'supersede', text, reason: 'he moved' })
  const { lineage } = await call('get', { id: record.id, with_history: true })
  expect(lineage).toMatchObject([{ id, text: 'Jonas lives in Leipzig.', status: 'superseded' }])
  expect((await call('get', { id, with_history: true })).lineage).toMatchObject([{ id: record.id, text }])
  const hidden = await create(app, fact({ scope: 'homes', sensitivity: 'high' }))
  expect((await call('get', { id: hidden.id, with_history: true })).lineage).toEqual([])
  await call('forget', { id, reason: 'private' })
  expect((await call('get', { id: record.id, with_history: true })).lineage).toEqual([])
})

it('recalls what held before only where the question asks for it, and marks it', async () => {
  const scope = 'former'
  const { id } = await call('remember', { text: 'Jonas lives in Leipzig.', about: 'Jonas', scope })
  await call('revise', { id, op: 'supersede', text: 'Jonas lives in Berlin.', reason: 'he moved' })
  const query = 'Where did Jonas live before?'
  expect(await recall(query, scope)).not.toContain('Leipzig')
  const { text, items } = await call('recall', { query, scope, include_superseded: true })
  expect(text).toMatch(/\] \d{4}-\d\d-\d\d \(superseded\) Jonas lives in Leipzig\.\n/)
  expect(text).toMatch(/\] \d{4}-\d\d-\d\d Jonas lives in Berlin\.\n/)
  expect(items).toHaveLength(2)
  const asked = { task_descriptor: query, scopes: [scope], include_status: ['superseded'], format: 'json' }
  const { body } = await app.request('POST', '/v1/context', { body: asked })
  const { known } = JSON.parse((body as { text: string }).text)
  expect(known).toContainEqual(expect.objectContaining({ record_id: id, status: 'superseded' }))
})

it('disputes no fact because of the one that it replaced', async () => {
  const scope = 'replaced'
  const payload = { ...payloads.semantic, subject: 'shop-api', predicate: 'runs in', object: 'Paris' }
  const { id } = await create(app, fact({ scope, payload }))
  await call('revise', { id, op: 'supersede', text: 'shop-api runs in Oslo.', reason: 'moved' })
  const asked = { query: 'Where did shop-api run before?', scope, include_superseded: true }
  const { text } = await call('recall', asked)
  expect(text).toMatch(/\] \S+ shop-api runs in Oslo\n/)
  expect(text).toMatch(/\] \S+ \(superseded\) shop-api runs in Paris\n/)
})

it('dates what is true instead by the time when it became true', async () => {
  const scope = 'dates'
  const { id } = await call('remember', { text: 'Mia lives in Leipzig.', about: 'Mia', scope })
  const revision = { id, op: 'supersede', text: 'Mia lives in Hamburg.', reason: 'she moved' }
  const future = { ...revision, occurred_at: '2999-01-01T00:00:00Z' }
  expect((await failTool(client, 'revise', future)).what).toContain('/occurred_at must not be in the future')
  const { record } = await call('revise', { ...revision, occurred_at: '2026-01-04T00:00:00Z' })
  expect(await recall('Where does Mia live?', scope)).toContain('] 2026-01-04 Mia lives in Hamburg.')
  const contest = { id: record.id, op: 'contest', text: 'Mia lives in Kiel.', reason: 'heard' }
  await call('revise', { ...contest, occurred_at: '2026-01-05T00:00:00Z' })
  expect(await recall('Where does Mia live?', scope)).toContain('] 2026-01-05 (disputed) Mia lives in Kiel.')
})

it('returns the state of a changed record and the end of its log, however long they are', async () => {
  const { id } = await call('remember', { text: 'The kettle is blue.', scope: 'short' })
  for (let n = 0; n < 5; n++) await call(n % 2 ? 'unpin' : 'pin', { id, reason: `turn ${n}` })
  const { record } = await call('unpin', { id, reason: 'enough' })
  expect(record).toEqual({
    id,
    type: 'semantic',
    scope: 'short',
    sensitivity: 'low',
    version: 7,
    status: 'active',
    layer: 'semantic',
    salience: 1,
    lifecycle: { pinned: false },
    payload: {
      kind: 'semantic',
      subject: 'short',
      predicate: 'note',
      object: 'The kettle is blue.',
      evidence: [expect.objectContaining({ source_type: 'event' })],
    },
    relations: [],
    audit_log: ['turn 3', 'turn 4', 'enough'].map((rationale) => expect.objectContaining({ rationale })),
  })
  const long = await call('remember', { text: 'long '.repeat(5_000), scope: 'short' })
  const { record: pinned } = await call('pin', { id: long.id, reason: 'x' })
  expect(JSON.stringify(pinned).length).toBeLessThan(2_000)
})
