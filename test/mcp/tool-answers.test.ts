import { afterAll, expect, it } from 'vitest'
import { callTool, connectClient, failTool } from '../support/http/mcp-clients.ts'
import { type Body, create, fact, payloads, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
const client = await connectClient(app)
afterAll(() => app.close())

const call = (name: string, args: object) => callTool(client, name, args as Record<string, unknown>)
const fail = (name: string, args: object) => failTool(client, name, args as Record<string, unknown>)

it('cuts a record that is too long, here and as a resource, and tells only the new state of a reinforced one', async () => {
  const timeline = Array.from({ length: 4 }, (_, n) => ({
    t: '2026-01-05T10:00:00.000Z',
    event_kind: 'note',
    ref: `n${n}`,
    summary: `${n} ${'x'.repeat(90_000)}`,
  }))
  const { id } = await create(app, { type: 'episodic', payload: { kind: 'episodic', timeline } })
  const { record, history } = await call('get', { id, with_history: true })
  expect(record).toMatchObject({ id, version: 1, status: 'active', payload: { kind: 'episodic' } })
  expect(record.payload.text).toContain('0 xxx')
  expect(record.shortened).toContain(`GET /v1/records/${id}`)
  expect(history).toMatchObject([{ action: 'create' }])
  const { contents } = await client.readResource({ uri: `memory://record/${id}` })
  expect(JSON.parse((contents[0] as Body).text)).toEqual(record)
  const { results } = await call('reinforce', { ids: [id], outcome: 'helped' })
  expect(results).toMatchObject([{ id, status: 200, record: { id, salience: expect.any(Number) } }])
  const pinned = await connectClient(app, { profile: 'lifecycle' })
  const acted = await callTool(pinned, 'pin', { id, reason: 'kept' })
  for (const answer of [record, history, results, acted])
    expect(JSON.stringify(answer).length).toBeLessThan(60_000)
})

it('keeps a fact that is superseded with the entities that it is about', async () => {
  const scope = 'entities'
  const entity = (name: string, more: object = {}) =>
    create(app, {
      type: 'entity',
      scope,
      ...more,
      payload: { kind: 'entity', canonical_name: name, primary_type: 'Thing' },
    })
  const orion = await entity('Orion')
  const paris = await entity('Paris')
  const berlin = await entity('Berlin')
  const hidden = await entity('Cellar', { sensitivity: 'high' })
  const { id } = await call('remember', { text: 'Orion runs in Paris.', about: 'Orion', scope })
  const key = await app.issueKey(['records:read', 'records:write'], {
    scopes: [scope],
    max_sensitivity: 'low',
  })
  app.clock.advance(1_000)
  const { record } = await callTool(await connectClient(app, { key }), 'revise', {
    id,
    op: 'supersede',
    text: 'Orion runs in Berlin, in a Cellar.',
    reason: 'moved',
  })
  const about = async (each: Body) => {
    const { body } = await app.request('GET', `/v1/entities/${each.id}/records`)
    return (body as Body).items.map((item: Body) => item.id)
  }
  expect(await about(orion)).toEqual([record.id, id])
  expect(await about(berlin)).toEqual([record.id])
  expect(await about(paris)).toEqual([id])
  expect(await about(hidden)).toEqual([])
  expect((await read(app, record.id)).relations).toContainEqual(
    expect.objectContaining({ predicate: 'subject_entity', target_id: orion.id }),
  )
})

it('says that records do not fit, and does not say that there are none', async () => {
  const scope = 'narrow'
  for (const day of ['Monday', 'Tuesday']) await call('remember', { text: `Bins go out on ${day}.`, scope })
  const ask = async (args: object) =>
    (await client.callTool({ name: 'recall', arguments: { query: 'bins', scope, ...args } })) as Body
  expect((await ask({ max_tokens: 1 })).content[0].text).toBe(
    '2 records do not fit into max_tokens (1). Call again with more.',
  )
  expect((await ask({})).content[0].text).toContain('Bins go out')
  const none = await ask({ query: 'the capital of Peru' })
  expect(none.content).toEqual([{ type: 'text', text: 'Nothing is remembered about this.' }])
  expect(none.structuredContent.text).toBe('Nothing is remembered about this.')
})

it('says that a scope has no memory that the key may read, whether it is misspelt or hidden', async () => {
  for (const sensitivity of ['low', 'high'])
    await call('remember', { text: 'The bins are green.', scope: `bins ${sensitivity}`, sensitivity })
  const key = await app.issueKey(['records:read'], {
    scopes: ['bins low', 'bins high'],
    max_sensitivity: 'low',
  })
  const limited = await connectClient(app, { key })
  for (const scope of ['bins high', 'bin low']) {
    const said = expect.stringContaining(`no memory in the scope "${scope}"`)
    const named = { asymmetricMatch: (text: string) => text.includes('"bins low"') }
    expect(await callTool(limited, 'recall', { query: 'bins', scope })).toMatchObject({
      text: said,
      items: [],
    })
    expect(await callTool(limited, 'recall', { query: 'bins', scope })).toMatchObject({ text: named })
    expect(await callTool(limited, 'recent', { scope })).toMatchObject({ notice: said, items: [] })
  }
  const { notice } = await callTool(limited, 'recent', { scope: 'bins low', since: '2999-01-01T00:00:00Z' })
  expect(notice).not.toContain('no memory')
})

it('names what is blank, and says what to do where nothing is wrong with the arguments', async () => {
  expect((await fail('remember', { text: ' \n' })).what).toContain('/text must not be blank')
  const { id } = await call('remember', { text: 'Never forgotten.' })
  const tending = await connectClient(app, { profile: 'lifecycle' })
  expect(await failTool(tending, 'restore', { id, reason: 'x' })).toMatchObject({
    code: 'record_not_forgotten',
    what_to_do: expect.stringContaining('Nothing is left to do'),
  })
})

it('names in `what` whatever `why` refers to', async () => {
  const { id } = await call('remember', { text: 'The door code is 1234.' })
  const { record } = await call('revise', {
    id,
    op: 'supersede',
    text: 'The door code is 4321.',
    reason: 'x',
  })
  const error = await fail('revise', { id, op: 'supersede', text: 'again', reason: 'x' })
  expect(error).toMatchObject({ code: 'already_superseded', what: expect.stringContaining(record.id) })
  const tending = await connectClient(app, { profile: 'lifecycle' })
  await callTool(tending, 'forget', { id: record.id, reason: 'x' })
  const forgotten = await fail('get', { id: record.id })
  expect(forgotten).toMatchObject({ code: 'record_forgotten', what: expect.stringContaining('"deleted"') })
  const short = await fail('get', { id: id.slice(-6) })
  expect(short).toMatchObject({ what_to_do: expect.stringMatching(/^Give the whole id.*record_id/) })
  const several = await failTool(tending, 'forget', { id: id.slice(-6) })
  expect(several).toMatchObject({ what_to_do: expect.stringMatching(/^Correct.*`what`.*record_id/) })
  expect(short.why).not.toContain('`errors`')
})

it('says how to store what is true instead of a retracted fact', async () => {
  const { id } = await call('remember', { text: 'The plant is watered on Fridays.' })
  await call('revise', { id, op: 'retract', reason: 'x' })
  const revision = { id, op: 'supersede', text: 'The plant is watered on Mondays.', reason: 'x' }
  const what_to_do = expect.stringContaining('new text')
  expect(await fail('revise', revision)).toMatchObject({ code: 'already_retracted', what_to_do })
  const tending = await connectClient(app, { profile: 'lifecycle' })
  const pinned = await failTool(tending, 'pin', { id, reason: 'x' })
  expect(pinned).toMatchObject({ code: 'record_retracted', what_to_do })
})

it('lists the newest records that the key may read, behind newer ones that it sees only redacted', async () => {
  const scope = 'layers'
  const low = await create(app, fact({ scope, sensitivity: 'low' }))
  for (let n = 0; n < 21; n++) {
    app.clock.advance(1_000)
    await create(
      app,
      fact({ scope, sensitivity: 'medium', payload: { ...payloads.semantic, object: `${n}` } }),
    )
  }
  const key = await app.issueKey(['records:read'], { scopes: [scope], max_sensitivity: 'low' })
  const { items } = await callTool(await connectClient(app, { key }), 'recent', { scope })
  expect(items).toMatchObject([{ id: low.id }])
})

it('lists and fetches a remembered text as it is, also in a scope', async () => {
  const [scope, text] = ['trains', 'Ada prefers the window seat.']
  const { id } = await call('remember', { text, scope })
  expect((await call('recent', { scope })).items).toMatchObject([{ id, text }])
  const connector = await connectClient(app, { profile: 'openai' })
  const fetched = (await connector.callTool({ name: 'fetch', arguments: { id } })) as Body
  expect(JSON.parse(fetched.content[0].text)).toMatchObject({ title: text, text })
})

it('accepts an emoji where a reference or the name of an actor is cut', async () => {
  const [emoji, scope] = ['\u{1F600}', 'cut']
  const { id } = await call('remember', { text: 'The kettle boils in two minutes.', scope })
  const reason = `${'x'.repeat(2_047)}${emoji} and more`
  await call('revise', { id, op: 'contest', reason })
  expect((await read(app, id)).payload.evidence.at(-1).source_id).toBe('x'.repeat(2_047))
  const name = 'n'.repeat(254)
  const key = await app.issueKey(['records:read', 'records:write'], { name, scopes: [scope] })
  const named = await connectClient(app, { key, name: emoji })
  const said = await callTool(named, 'remember', { text: 'The kettle is blue.' })
  expect((await read(app, said.id)).audit_log[0].actor).toBe(`${name}/`)
})

it('marks a contested fact as disputed until it is uncontested', async () => {
  const scope = 'disputes'
  const openai = await connectClient(app, { profile: 'openai' })
  const { id } = await call('remember', { text: 'The office is in Lyon.', scope })
  const listAll = async () => [
    ...(await call('recent', { scope })).items,
    JSON.parse(((await openai.callTool({ name: 'fetch', arguments: { id } })) as Body).content[0].text)
      .metadata,
  ]
  for (const each of await listAll()) expect(each).not.toHaveProperty('disputed')
  await call('revise', { id, op: 'contest', reason: 'it moved' })
  for (const each of await listAll()) expect(each).toMatchObject({ status: 'active', disputed: true })
  await app.request('POST', `/v1/records/${id}/uncontest`, { body: { actor: 'a', rationale: 'b' } })
  for (const each of await listAll()) expect(each).not.toHaveProperty('disputed')
})

it('takes what an agent says for its own word, although the key is that of a person', async () => {
  const { id } = await call('remember', { text: 'The review is on Tuesday.' })
  expect(await read(app, id)).toMatchObject({
    source_type: 'ai',
    payload: { evidence: [{ source_type: 'event' }] },
  })
  const { record } = await call('revise', {
    id,
    op: 'supersede',
    text: 'The review is on Friday.',
    reason: 'moved',
  })
  expect(await read(app, record.id)).toMatchObject({ source_type: 'ai' })
  const untyped = await call('remember', { record: fact() })
  expect(await read(app, untyped.id)).toMatchObject({ source_type: 'ai' })
  const said = await call('remember', { record: fact({ source_type: 'human' }) })
  expect(await read(app, said.id)).toMatchObject({ source_type: 'human' })
})

it('explains in rounded figures, and names only the parts of the worth that count', async () => {
  const { id } = await call('remember', { text: 'The audit of the vault is on Thursday.' })
  const explanation = await call('explain', { id, query: 'vault' })
  const written = JSON.stringify(explanation)
  expect(written).not.toMatch(/\d\.\d*[1-9]\d{4}/)
  expect(written.length).toBeLessThan(2_000)
  const { body } = await app.request('GET', `/v1/records/${id}/explain`)
  const { worth, keeping } = body as Body
  expect(explanation.keeping.value).toBeCloseTo(keeping.value, 3)
  expect(explanation.worth.parts.map(({ name }: Body) => name)).toEqual(
    worth.parts.filter(({ contribution }: Body) => contribution !== 0).map(({ name }: Body) => name),
  )
})
