import { expect, it } from 'vitest'
import { readCalls } from '../../src/conversations/message-reading/message-calls.ts'

const read = (parts: object[]) =>
  readCalls([], parts, { names: new Map<string, string>(), isInexact: () => false })

it('gives each of many calls with one id an id of its own, in linear time', () => {
  const began = performance.now()
  for (const id of ['1', 'x'.repeat(256)]) {
    const calls = read(Array(20_000).fill({ type: 'tool_use', id, name: 'ls' }))
    expect(new Set(calls.map((call) => call.id)).size).toBe(20_000)
    expect(calls.every((call) => call.id.length <= 256)).toBe(true)
  }
  expect(performance.now() - began).toBeLessThan(3_000)
})

it('leaves the ids that other calls have to them', () => {
  const calls = read(['1', '1-2', '1', '1'].map((id) => ({ type: 'tool_use', id, name: 'ls' })))
  expect(calls.map(({ id }) => id)).toEqual(['1', '1-2', '1-3', '1-4'])
})
