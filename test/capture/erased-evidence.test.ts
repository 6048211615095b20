import { afterAll, describe, expect, it } from 'vitest'
import {
  capture,
  captureFact,
  countRecordsOfType,
  countTableRows,
  erase,
  pickCreated,
  postCapture,
  readAllRows,
  triple,
} from '../support/requests/capture-requests.ts'
import { type Body, create, expectProblem, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the capturing tests' } })
afterAll(() => app.close())

describe('POST /v1/capture with the content of an erased episode', () => {
  it('is refused with any reference, time, spelling and reason', async () => {
    const content = { ref: 'a', text: 'The secret.', more: [1, { deep: 'words' }] }
    const { primary_record: episode } = await capture(app, content, { scope: 'said' })
    await erase(app, episode.id)
    const before = await countTableRows(app)
    for (const [again, more] of [
      [content, {}],
      [{ ...content, ref: 'b' }, { timestamp: '2026-01-01T00:00:00Z' }],
      [
        { more: [1, { deep: 'WORDS!' }], text: 'the  SECRET' },
        { reason_to_remember: 'new', context: { turn: 1 } },
      ],
      [content, { source: 'agent-2', source_kind: 'agent_turn', tags: ['x'] }],
    ] as const) {
      expectProblem(await postCapture(app, again, { scope: 'said', ...more }), 409, 'erased_content')
    }
    expect(await countTableRows(app)).toEqual(before)
    expect((await postCapture(app, content, { scope: 'elsewhere' })).status).toBe(201)
    expect((await postCapture(app, { ...content, text: 'Another.' }, { scope: 'said' })).status).toBe(201)
  })

  it.each([
    ['text alone', 'the whole secret', {}],
    ['a list', ['a', 'secret'], {}],
    ['a tool output', { tool_name: 'cat', result: { secret: 1 } }, { source_kind: 'tool_output' }],
  ])('is refused for %s', async (scope, content, more) => {
    const { primary_record: episode } = await capture(app, content, { scope, ...more })
    await erase(app, episode.id)
    expectProblem(await postCapture(app, content, { scope, ...more }), 409, 'erased_content')
  })

  it('is refused for a task, both as a new task and as a report on an existing one', async () => {
    const more = { scope: 'task', source_kind: 'working_state' }
    const secret = { next_actions: ['dig up the treasure'], context_summary: 'A treasure.' }
    const { primary_record: task } = await capture(app, { thread_id: 'old', ...secret }, more)
    await erase(app, task.id)
    expectProblem(await postCapture(app, { thread_id: 'new', ...secret }, more), 409, 'erased_content')
    await capture(app, { thread_id: 'other', next_actions: ['wait'] }, more)
    expectProblem(await postCapture(app, { thread_id: 'other', ...secret }, more), 409, 'erased_content')
  })

  it('finds no word of the erased content in any table', async () => {
    const { primary_record: episode } = await capture(
      app,
      { ref: 'xylophone-ref', text: 'xylophone', user: 'Xylophone Player' },
      { scope: 'words', summary: 'xylophone', context: { xylophone: 1 }, reason_to_remember: 'xylophone' },
      { headers: { 'idempotency-key': 'words' } },
    )
    const [player] = episode.interpretation.mentions
    await erase(app, player.canonical_entity_id)
    await erase(app, episode.id)
    expect((await readAllRows(app)).join('\n').toLowerCase()).not.toContain('xylophone')
  })
})

describe('POST /v1/capture with an erased fact', () => {
  it('stores the episode without the fact', async () => {
    const { fact } = await captureFact(app, triple('linux', { note: 'one' }), { scope: 'fact' })
    await erase(app, fact.record_id)
    const again = await captureFact(app, triple('Linux', { note: 'two' }), { scope: 'fact' })
    expect(again.fact).toEqual({ outcome: 'erased' })
    expect(pickCreated(again, 'semantic')).toEqual([])
    expect(await countRecordsOfType(app, 'semantic', 'fact')).toBe(0)
    expect((await read(app, again.primary_record.id)).type).toBe('episodic')
    expect(
      (await captureFact(app, triple('linux', { note: 'three' }), { scope: 'not there' })).fact.outcome,
    ).toBe('created')
  })

  it('neither replaces nor contests the active fact', async () => {
    for (const revision_policy of ['replace', 'fork', 'contest']) {
      const more = { scope: `stands ${revision_policy}` }
      const { fact: erased } = await captureFact(app, triple('linux', { note: 'one' }), more)
      await erase(app, erased.record_id)
      const { fact: active } = await captureFact(app, triple('windows', { revision_policy }), more)
      const { fact } = await captureFact(app, triple('linux', { note: 'two' }), more)
      expect(fact).toEqual({ outcome: 'erased' })
      expect(await read(app, active.record_id)).toMatchObject({ version: 1, status: 'active' })
    }
  })
})

describe('POST /v1/capture with the name of an erased entity', () => {
  it('creates no entity and leaves the mention unresolved', async () => {
    const first = await capture(app, { user: 'Jane Doe', project: 'Known' }, { scope: 'name' })
    const [jane] = pickCreated(first, 'entity')
    expect(jane.payload.canonical_name).toBe('Jane Doe')
    await erase(app, jane.id)
    const again = await capture(
      app,
      { user: 'jane  doe', project: 'Known', text: 'again' },
      { scope: 'name' },
    )
    expect(pickCreated(again, 'entity')).toEqual([])
    const { interpretation } = again.primary_record
    expect(interpretation.status).toBe('tentative')
    const [open, known] = interpretation.mentions
    expect(open).toMatchObject({ surface: 'jane  doe' })
    expect(open.canonical_entity_id).toBeUndefined()
    expect(known.canonical_entity_id).toEqual(expect.any(String))
  })

  it('links the mention once the tombstone is lifted and a client creates the entity', async () => {
    const first = await capture(app, { user: 'John Roe' }, { scope: 'lifted' })
    await erase(app, pickCreated(first, 'entity')[0].id)
    const { body } = await app.request('GET', '/v1/tombstones?limit=500')
    const [tombstone] = (body as Body).items.filter(({ scope }: Body) => scope === 'lifted')
    await app.request('DELETE', `/v1/tombstones/${tombstone.id}`)
    const { id } = await create(app, {
      type: 'entity',
      scope: 'lifted',
      payload: { kind: 'entity', canonical_name: 'John Roe', primary_type: 'Person' },
    })
    const again = await capture(app, { user: 'john roe', text: 'again' }, { scope: 'lifted' })
    expect(again.primary_record.interpretation.mentions[0].canonical_entity_id).toBe(id)
  })
})
