import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listToolSequence, orderCalls, type ToolCall } from '../../../src/domain/procedures/tool-sequence.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const call = (id: string, more: Partial<ToolCall> = {}): ToolCall => ({ id, tool: id, ...more })

describe('the order of calls', () => {
  it.each<[string, ToolCall[], string]>([
    ['is that of the list', [call('b'), call('a')], 'b a'],
    ['is that of time', [call('b', { timestamp: at(2) }), call('a', { timestamp: at(1) })], 'a b'],
    ['puts nothing before what it depends on', [call('b', { depends_on: ['a'] }), call('a')], 'a b'],
    ['ignores what is not there', [call('b', { depends_on: ['z', 'b'] }), call('a')], 'b a'],
    ['ends in a circle', [call('a', { depends_on: ['b'] }), call('b', { depends_on: ['a'] })], 'b a'],
    ['is of nothing', [], ''],
  ])('%s', (_, calls, expected) => {
    expect(
      orderCalls(calls)
        .map(({ id }) => id)
        .join(' '),
    ).toBe(expected)
  })

  it('has each call once, after the calls it depends on', () => {
    const calls = fc.array(
      fc.record({ needs: fc.array(fc.nat(20), { maxLength: 3 }), minute: fc.option(fc.nat(9)) }),
      {
        maxLength: 20,
      },
    )
    fc.assert(
      fc.property(calls, (drawn) => {
        const calls = drawn.map(({ needs, minute }, place) =>
          call(String(place), {
            depends_on: needs.filter((each) => each < place).map(String),
            ...(minute === null ? {} : { timestamp: at(minute) }),
          }),
        )
        const order = orderCalls(calls).map(({ id }) => id)
        expect([...order].sort()).toEqual(calls.map(({ id }) => id).sort())
        for (const { id, depends_on: needs = [] } of calls) {
          for (const need of needs) expect(order.indexOf(need)).toBeLessThan(order.indexOf(id))
        }
      }),
    )
  })

  it('is found for a chain of a hundred thousand calls', () => {
    const chain = Array.from({ length: 100_000 }, (_, n) => call(String(n), { depends_on: [String(n + 1)] }))
    expect(orderCalls(chain)[0]?.id).toBe('99999')
  })
})

describe('the tool sequence of an episode', () => {
  it('has immediate repetitions once, and later ones again', () => {
    const calls = ['edit', 'edit', 'test', 'test', 'edit', 'push'].map((tool, n) => ({ id: String(n), tool }))
    expect(listToolSequence(calls)).toEqual(['edit', 'test', 'edit', 'push'])
  })

  it('is empty if it is too long for a skill', () => {
    const calls = (count: number) => Array.from({ length: count }, (_, n) => call(String(n)))
    expect(listToolSequence(calls(200))).toHaveLength(200)
    expect(listToolSequence(calls(201))).toEqual([])
  })
})
