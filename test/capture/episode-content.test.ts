import { afterAll, describe, expect, it } from 'vitest'
import {
  capture,
  countTableRows,
  pickCreated,
  postCapture,
  range,
} from '../support/requests/capture-requests.ts'
import { type Body, expectProblem, pointersOf, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

/** Captures content without fields of their own, and returns what a reader of the episode finds. */
async function captureAndReadContent(content: unknown): Promise<unknown> {
  const { primary_record: episode } = await capture(app, content)
  return (await read(app, episode.id)).payload.environment.context.captured.content
}

/** Nests lists and objects this many levels deep. */
function nest(levels: number): unknown {
  let content: unknown = 'core'
  for (const level of range(levels)) content = level % 2 === 0 ? [content] : { in: content }
  return content
}

/** Sends the content as text, for JSON that JavaScript values cannot express. */
const raw = (content: string) =>
  app.request('POST', '/v1/capture', { body: `{"source":"s","content":${content}}` })

const contents: unknown[] = [
  null,
  true,
  false,
  0,
  -0.5,
  1e-300,
  1.7e308,
  9_007_199_254_740_991,
  '',
  ' ',
  'text',
  '\n\t"\\',
  '🦋ünï',
  [],
  {},
  [null],
  [[], {}],
  [1, 'two', { three: [4] }],
  { a: null, '': 0, ' ': [] },
  { 'a/b~c': 1 },
  { constructor: { prototype: 1 }, toString: 'x', hasOwnProperty: 1, valueOf: null, length: 5 },
  { text: 7, message: ['x'], summary: null, toJSON: 'x' },
  { kind: 'semantic', id: 'x', type: 1 },
]

describe('the content of a captured episode', () => {
  it('keeps any JSON value unchanged', async () => {
    for (const content of contents) expect(await captureAndReadContent(content)).toEqual(content)
  })

  it('keeps any depth up to the limit of a body', async () => {
    for (const levels of [1, 50, 98, 99])
      expect(await captureAndReadContent(nest(levels))).toEqual(nest(levels))
    for (const levels of [100, 101, 1_000]) {
      const answer = await postCapture(app, nest(levels))
      expectProblem(answer, 422, 'validation_failed')
      expect(pointersOf(answer)[0]).toMatch(/^\/content(\/0|\/in)+$/)
    }
  })

  it('keeps a megabyte and refuses more than ten', async () => {
    const large = range(12).map((n) => `${n} `.repeat(2_000).padEnd(100_000, 'word '))
    expect(await captureAndReadContent({ large })).toEqual({ large })
    expectProblem(await raw(JSON.stringify(range(105).map(() => 'x'.repeat(100_000)))), 413, 'body_too_large')
  })

  it('keeps more elements than a call may have arguments, and thousands of fields', async () => {
    const numbers = range(150_000)
    expect(await captureAndReadContent(numbers)).toEqual(numbers)
    const fields = Object.fromEntries(range(10_000).map((n) => [`k${n}`, n]))
    expect(await captureAndReadContent(fields)).toEqual(fields)
  }, 120_000)

  it('refuses a number that no double can hold', async () => {
    const before = await countTableRows(app)
    expectProblem(await raw('[1e999]'), 422, 'number_too_large')
    expect(await countTableRows(app)).toEqual(before)
  })

  it.each([
    ['a NUL', '{"a":["x\\u0000"]}', '/content/a/0'],
    ['a NUL in the name of a field', '{"a\\u0000":1}', '/content'],
    ['half a character', '{"a":"\\ud800"}', '/content/a'],
    ['the prototype', '{"a":{"__proto__":{"b":1}}}', '/content/a'],
    ['too long a text', JSON.stringify([1, 'x'.repeat(100_001)]), '/content/1'],
    ['too long a name', JSON.stringify({ ['x'.repeat(100_001)]: 1 }), '/content'],
  ])('refuses %s with a pointer', async (_, content, pointer) => {
    const before = await countTableRows(app)
    const answer = await raw(content)
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer)).toEqual([pointer])
    expect(await countTableRows(app)).toEqual(before)
  })

  it('is found by its words', async () => {
    const cases: [unknown, string][] = [
      ['a plain aardvark', 'aardvark'],
      [{ deep: [{ er: 'a buffalo' }] }, 'buffalo'],
      [{ tool_name: 'caracal', result: { said: 'dormouse' } }, 'dormouse'],
      [{ subject: 'x', predicate: 'likes', object: 'the echidna' }, 'echidna'],
      [
        {
          text: 'x',
          timeline: [{ t: '2026-01-01T00:00:00Z', event_kind: 'k', ref: 'r', summary: 'ferret' }],
        },
        'ferret',
      ],
    ]
    for (const [content, word] of cases) {
      const kind = word === 'dormouse' ? 'tool_output' : 'event'
      const { primary_record: episode } = await capture(app, content, { source_kind: kind })
      const { body } = await app.request('GET', `/v1/records?q=${word}`)
      expect((body as Body).items.map(({ id }: Body) => id)).toContain(episode.id)
    }
    await capture(app, { thread_id: 'q', next_actions: ['feed the gecko'] }, { source_kind: 'working_state' })
    const { body } = await app.request('GET', '/v1/records?q=gecko&type=working')
    expect((body as Body).items).toHaveLength(1)
  })
})

describe('content fields with a place in the episode', () => {
  const content = {
    ref: 'run-1',
    event_kind: 'deploy',
    text: 'Deployed.',
    outcome: 'partial',
    artifacts: ['a.txt'],
    timeline: [{ t: '2026-01-01T00:00:00.000Z', event_kind: 'step', ref: 's1', summary: 'one' }],
    tool_graph: [{ id: 'n1', tool: 'grep', args: ['x'], result: null, depends_on: [] }],
    environment: { os: 'linux', tool_versions: { node: '24' }, context: { host: 'h' } },
    tool_graph_ref: 'graph-1',
  }

  it('are stored in their fields, and other content next to them', async () => {
    const { primary_record: episode } = await capture(
      app,
      { ...content, extra: { a: 1 } },
      { context: { turn: 2 } },
    )
    expect((await read(app, episode.id)).payload).toEqual({
      kind: 'episodic',
      outcome: 'partial',
      artifacts: ['a.txt'],
      tool_graph_ref: 'graph-1',
      timeline: [
        {
          t: app.clock.now().toISOString(),
          event_kind: 'deploy',
          ref: 'run-1',
          summary: 'Deploy with grep, outcome partial.',
        },
        ...content.timeline,
      ],
      tool_graph: content.tool_graph,
      environment: {
        ...content.environment,
        context: {
          host: 'h',
          captured: { content: { text: 'Deployed.', extra: { a: 1 } }, context: { turn: 2 } },
        },
      },
    })
  })

  it('are refused with a pointer when they do not fit', async () => {
    for (const [more, pointer] of [
      [{ timeline: 'x' }, '/content/timeline'],
      [{ tool_graph: [{ id: '1' }] }, '/content/tool_graph/0/tool'],
      [{ outcome: 'great' }, '/content/outcome'],
      [{ environment: { moon: 1 } }, '/content/environment/moon'],
      [{ environment: { context: { captured: 1 } } }, '/content/environment/context/captured'],
      [{ artifacts: [7] }, '/content/artifacts/0'],
    ] as const) {
      const answer = await postCapture(app, { ...content, ref: 'new', ...more })
      expectProblem(answer, 422, 'validation_failed')
      expect(pointersOf(answer)).toEqual([pointer])
    }
  })

  it('become a node of the tool graph for tool output', async () => {
    const call = { tool: 'go test', args: { any: ['json', null] }, result: [1], depends_on: ['n1'] }
    const graph = { tool_graph: content.tool_graph }
    const { primary_record: episode } = await capture(
      app,
      { ...call, ...graph },
      { source_kind: 'tool_output' },
    )
    const t = app.clock.now().toISOString()
    expect(episode.payload.tool_graph).toEqual([...content.tool_graph, { id: '2', timestamp: t, ...call }])
    expect(episode.provenance.sources).toEqual([
      { kind: 'tool_call', ref: 'agent-1', created_by: 'agent-1', timestamp: t },
    ])
    expect(pickCreated(await capture(app, graph, { source_kind: 'tool_output' }), 'episodic')).toHaveLength(1)
    const nameless = await postCapture(app, { args: [] }, { source_kind: 'tool_output' })
    expect(pointersOf(nameless)).toEqual(['/content/tool_name'])
  })

  it('keep any source kind as the event kind', async () => {
    for (const kind of ['event', 'agent_turn', 'thought', 'observation', 'constructor', '🦋', '']) {
      const { primary_record: episode } = await capture(app, { text: kind || 'none' }, { source_kind: kind })
      expect(episode).toMatchObject({
        type: 'episodic',
        payload: { timeline: [{ event_kind: kind || 'event' }] },
      })
    }
  })
})
