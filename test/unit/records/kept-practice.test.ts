import { describe, expect, it } from 'vitest'
import { removePlanWords, removeSignals } from '../../../src/records/erasure/kept-practice.ts'
import type { ContentRow } from '../../../src/records/stored-record.ts'

type Call = { id: string; tool: string; args?: unknown }

const episode = (calls: readonly Call[], summaries: readonly string[] = []) =>
  ({
    payload: {
      kind: 'episodic',
      timeline: summaries.map((summary) => ({
        t: '2026-03-01T09:30:00Z',
        event_kind: 'note',
        ref: 'r',
        summary,
      })),
      tool_graph: calls,
      artifacts: [],
    },
  }) as unknown as ContentRow

const plan = (nodes: readonly { id: string; params?: Record<string, unknown> }[], intent = 'deploy') => ({
  kind: 'plan_graph' as const,
  plan_id: 'p',
  version: '1',
  intent,
  nodes: nodes.map((node) => ({ op: 'run', ...node })),
  edges: [],
})

const sources = (erased: ContentRow[], remaining: ContentRow[]) => ({ erased, remaining })

describe('a plan of which a source is erased', () => {
  it('loses the names and parameters that only the erased source has', () => {
    const erased = episode([
      { id: 'own', tool: 'run', args: { b: 1, a: 2 } },
      { id: 'shared', tool: 'run', args: { c: [1] } },
      { id: 'twice', tool: 'run', args: 'word' },
      { id: 'twice', tool: 'run', args: { value: 'whole' } },
    ])
    const remaining = episode([{ id: 'shared', tool: 'run', args: { c: [1] } }])
    const nodes = [
      { id: 'own', params: { a: 2, b: 1 } },
      { id: 'shared', params: { c: [1] } },
      { id: 'twice', params: { value: 'word' } },
      { id: 'twice (3)', params: { value: 'whole' } },
      { id: 'ownership', params: { value: 'other' } },
    ]
    expect(removePlanWords(plan(nodes), sources([erased], [remaining])).nodes).toEqual([
      { id: 'step-1', op: 'run' },
      { id: 'shared', op: 'run', params: { c: [1] } },
      { id: 'step-3', op: 'run' },
      { id: 'step-4', op: 'run' },
      { id: 'ownership', op: 'run', params: { value: 'other' } },
    ])
  })

  it('loses its intent if it is the beginning of a text of the erased source alone', () => {
    const erased = episode([], ['deploy the shop', 'a', 'z'])
    const remaining = episode([], ['deplore', 'deploy'])
    expect(removePlanWords(plan([], 'deploy the'), sources([erased], [remaining]))).not.toHaveProperty(
      'intent',
    )
    expect(removePlanWords(plan([], 'deplo'), sources([erased], [remaining])).intent).toBe('deplo')
    expect(removePlanWords(plan([], 'other'), sources([erased], [remaining])).intent).toBe('other')
    const competence = { triggers: [{ signal: 'deploy the shop' }, { signal: 'note' }] } as never
    expect(removeSignals(competence, sources([erased], [remaining])).triggers).toEqual([{ signal: 'note' }])
  })

  it('is compared with the calls of all its sources in linear time', () => {
    const calls = (of: number) =>
      Array.from({ length: 500 }, (_, i) => ({
        id: `${of}-${i}`,
        tool: 'run',
        args: { path: `/${of}/${i}` },
      }))
    const nodes = calls(0).map(({ id, args }) => ({ id, params: args }))
    const others = Array.from({ length: 60 }, (_, of) => episode(calls(of + 1)))
    const before = process.cpuUsage()
    const kept = removePlanWords(plan(nodes), sources([episode(calls(0))], others))
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(3)
    expect(kept.nodes.every(({ params }) => params === undefined)).toBe(true)
  })
})
