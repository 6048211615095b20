import { describe, expect, it } from 'vitest'
import { capturedAt, listFaultPointers, planEpisode } from '../../support/stores/planned-captures.ts'

describe('an event', () => {
  it('becomes an episode with one timeline event, and keeps the remaining content', () => {
    const plan = planEpisode(
      { ref: 'thread-1:turn-7', text: 'Refactored auth middleware and verified package tests' },
      { summary: 'Refactored auth middleware', reason_to_remember: 'Keep it', context: { branch: 'main' } },
    )
    expect(plan).toEqual({
      kind: 'event',
      ref: 'thread-1:turn-7',
      summary: 'Refactored auth middleware',
      source: { kind: 'event', ref: 'thread-1:turn-7', created_by: 'auth-agent', timestamp: capturedAt },
      evidenceType: 'event',
      fact: undefined,
      payload: {
        kind: 'episodic',
        timeline: [
          {
            t: capturedAt,
            event_kind: 'event',
            ref: 'thread-1:turn-7',
            summary: 'Refactored auth middleware',
          },
        ],
        tool_graph: [],
        artifacts: [],
        environment: {
          context: {
            captured: {
              content: { text: 'Refactored auth middleware and verified package tests' },
              context: { branch: 'main' },
              reason_to_remember: 'Keep it',
            },
          },
        },
      },
    })
  })

  it('is assumed for an unknown source kind, which becomes the event kind', () => {
    for (const [source_kind, event_kind] of [
      ['agent_turn', 'agent_turn'],
      ['deploy', 'deploy'],
      ['constructor', 'constructor'],
      ['', 'event'],
    ] as const) {
      const plan = planEpisode({ text: 'x' }, { source_kind })
      expect(plan.kind).toBe('event')
      expect(plan.payload.timeline[0]?.event_kind).toBe(event_kind)
    }
    expect(planEpisode({ event_kind: 'release' }).payload.timeline[0]?.event_kind).toBe('release')
  })

  it('without a reference has its source as reference', () => {
    const plan = planEpisode('hello')
    expect(plan).toMatchObject({ ref: undefined, source: { ref: 'auth-agent' } })
    expect(plan.payload.timeline[0]?.ref).toBe('auth-agent')
  })

  it('has the time of its timestamp in UTC', () => {
    const plan = planEpisode('hello', { timestamp: '2026-03-28T10:00:00+01:00' })
    expect(plan.payload.timeline[0]?.t).toBe('2026-03-28T09:00:00.000Z')
    expect(plan.source.timestamp).toBe('2026-03-28T09:00:00.000Z')
    expect(listFaultPointers('hello', { timestamp: '2026-03-28T09:30:00.001Z' })).toEqual(['/timestamp'])
  })

  it('keeps its timeline, tools, environment, outcome and artifacts', () => {
    const content = {
      timeline: [{ t: '2026-03-28T09:00:00Z', event_kind: 'start', ref: 'a' }],
      tool_graph: [{ id: '1', tool: 'go', args: ['test'], depends_on: [] }],
      tool_graph_ref: 'graph-1',
      outcome: 'success',
      artifacts: ['report.html'],
      environment: { os: 'linux', context: { ci: true } },
      text: 'done',
    }
    const { timeline, environment, ...rest } = planEpisode(content).payload
    expect(timeline).toHaveLength(2)
    expect(timeline[1]).toEqual(content.timeline[0])
    expect(environment).toEqual({
      os: 'linux',
      context: { ci: true, captured: { content: { text: 'done' } } },
    })
    const { timeline: _, environment: _1, text: _2, ...kept } = content
    expect(rest).toEqual({ kind: 'episodic', ...kept })
  })

  it('has an environment only when there is something to store in it', () => {
    expect(planEpisode({ ref: 'a', outcome: 'failure' }).payload).not.toHaveProperty('environment')
    const { environment } = planEpisode({ environment: { os: 'linux' } }, { context: {} }).payload
    expect(environment).toEqual({ os: 'linux' })
  })

  it.each([
    [{ timeline: 'soon' }, '/content/timeline'],
    [{ timeline: [{ t: 'soon', event_kind: 'x', ref: 'a' }] }, '/content/timeline/0/t'],
    [{ tool_graph: [{ id: '1' }] }, '/content/tool_graph/0/tool'],
    [{ outcome: 'it went fine' }, '/content/outcome'],
    [{ artifacts: 'report.html' }, '/content/artifacts'],
    [{ artifacts: [1] }, '/content/artifacts/0'],
    [{ environment: 'production' }, '/content/environment'],
    [{ environment: { region: 'eu' } }, '/content/environment/region'],
    [{ environment: { context: { captured: 1 } } }, '/content/environment/context/captured'],
    [{ ref: 7 }, '/content/ref'],
    [{ ref: 'x'.repeat(2_049) }, '/content/ref'],
    [{ event_kind: ['a'] }, '/content/event_kind'],
  ])('with %j is refused at %s', (content, pointer) => {
    expect(listFaultPointers(content)).toEqual([pointer])
  })

  it('may contain null for absent fields, which is kept', () => {
    const plan = planEpisode({ ref: null, outcome: null, timeline: null })
    expect(plan.ref).toBeUndefined()
    expect(plan.payload.environment?.context).toEqual({
      captured: { content: { ref: null, outcome: null, timeline: null } },
    })
  })
})

describe('a tool output', () => {
  const source_kind = 'tool_output'

  it('becomes a node of the tool graph', () => {
    const content = {
      tool_name: 'go test',
      args: ['./pkg'],
      result: { passed: 12 },
      depends_on: ['0'],
      took: 3,
    }
    const plan = planEpisode(content, { source_kind })
    expect(plan).toMatchObject({ kind: 'tool_output', source: { kind: 'tool_call' }, evidenceType: 'tool' })
    expect(plan.payload.tool_graph).toEqual([
      {
        id: '1',
        tool: 'go test',
        timestamp: capturedAt,
        args: ['./pkg'],
        result: { passed: 12 },
        depends_on: ['0'],
      },
    ])
    expect(plan.payload.environment?.context).toEqual({ captured: { content: { took: 3 } } })
  })

  it.each([[null], ['text'], [0], [[]], [{ deep: [{}] }]])('accepts %j as arguments and result', (value) => {
    const { payload } = planEpisode({ tool: 'grep', args: value, result: value }, { source_kind })
    expect(payload.tool_graph[0]).toMatchObject({ tool: 'grep', args: value, result: value })
    expect(payload.environment).toBeUndefined()
  })

  it('may contain several calls, each with its own id', () => {
    const tool_graph = [
      { id: '1', tool: 'ls' },
      { id: '3', tool: 'cat', depends_on: ['1'] },
    ]
    expect(planEpisode({ tool_graph }, { source_kind }).payload.tool_graph).toEqual(tool_graph)
    const ids = (content: object) =>
      planEpisode({ tool: 'rm', tool_graph, ...content }, { source_kind }).payload.tool_graph.map(
        (node) => node.id,
      )
    expect(ids({})).toEqual(['1', '3', '4'])
    expect(ids({ id: '2' })).toEqual(['1', '3', '2'])
    expect(ids({ id: '3' })).toEqual(['1', '3', '4'])
    expect(ids({ id: 9 })).toEqual(['1', '3', '4'])
  })

  it.each([
    [{ result: 1 }, '/content/tool_name'],
    ['plain text', '/content/tool_name'],
    [{ tool_name: 7 }, '/content/tool_name'],
    [{ tool: '' }, '/content/tool'],
    [{ tool: 'x', depends_on: '0' }, '/content/depends_on'],
    [{ tool_graph: {} }, '/content/tool_graph'],
  ])('with %j is refused at %s', (content, pointer) => {
    expect(listFaultPointers(content, { source_kind })).toEqual([pointer])
  })
})
