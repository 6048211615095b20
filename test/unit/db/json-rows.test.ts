import { describe, expect, it } from 'vitest'
import { writeJsonRows } from '../../../src/db/fragments/json/json-rows.ts'

const makeRows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    index,
    text: `"é" 漢 😀 \n${'x'.repeat(index)}`,
    at: new Date(index),
  }))

describe('rows as JSON', () => {
  it.each([0, 1, 15, 16, 200])('are the JSON of their list: %i rows', (count) => {
    const rows = makeRows(count)
    expect(writeJsonRows(rows).toString()).toBe(JSON.stringify(rows))
  })

  it('are bytes when they are many, because a long text stays in memory', () => {
    expect(writeJsonRows(makeRows(200))).toBeInstanceOf(Buffer)
    expect(writeJsonRows(makeRows(3))).toBeTypeOf('string')
  })
})
