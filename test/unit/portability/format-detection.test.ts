import { describe, expect, it } from 'vitest'
import { detectFormat, findShownFormat } from '../../../src/portability/foreign/format-detection.ts'

const detect = (value: unknown) => detectFormat(Buffer.from(JSON.stringify(value)))

describe('the format of a file', () => {
  it('does not depend on names that a person chose within an item', () => {
    const names = ['group_id', 'namespace', 'prefix', 'episodes', 'agents', 'block_ids', 'primary_sector']
    for (const name of names) {
      const metadata = { [name]: ['x'] }
      const memory = { id: 'a', memory: 'Ada prefers tea', user_id: 'ada', metadata }
      expect(detect({ results: [memory] }), name).toBe('mem0')
      expect(detect([memory]), name).toBe('mem0')
      const row = { namespace: ['a'], key: 'k', value: { ...metadata, memory: 'x' } }
      expect(detect([row]), name).toBe('langgraph')
      expect(detectFormat(Buffer.from(`${JSON.stringify(row)}\n${JSON.stringify(row)}`)), name).toBe(
        'langgraph',
      )
    }
  })

  it('is that of the names further inside where no other name shows one, and only at the end', () => {
    const wrapped = Buffer.from(JSON.stringify({ graph: { nodes: [{ uuid: 'a', group_id: 'b' }] } }))
    expect(findShownFormat(wrapped)).toBeUndefined()
    expect(detectFormat(wrapped)).toBe('graphiti')
  })

  it('is looked for in linear time, whatever is open', () => {
    for (const text of [
      '['.repeat(65_536),
      '{"a":'.repeat(13_000),
      '}'.repeat(65_536),
      `"${'\\"'.repeat(32_000)}`,
    ])
      expect(detectFormat(Buffer.from(text))).toBeUndefined()
  })
})
