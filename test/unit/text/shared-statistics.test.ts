import { describe, expect, it } from 'vitest'
import { replaceChanged } from '../../../src/retrieval/text/statistics/shared-statistics.ts'
import type { WordStatistics } from '../../../src/retrieval/text/statistics/word-statistics.ts'

const counts = { common: 400, some: 40, few: 2 }
const read = (more: Partial<WordStatistics> = {}, words: object = {}): WordStatistics => ({
  rows: 1_200,
  averageLength: 11,
  sampled: 1_200,
  counts: new Map(Object.entries({ ...counts, ...words })),
  ...more,
})
const held = replaceChanged(undefined, read())

describe('the word statistics that all callers share', () => {
  it('are within one percent of those that were read', () => {
    expect(held.rows / 1_200).toBeCloseTo(1, 1.9)
    expect(Math.abs(held.averageLength / 11 - 1)).toBeLessThan(0.01)
    for (const [word, count] of Object.entries(counts))
      expect(Math.abs((held.counts.get(word) ?? 0) / count - 1), word).toBeLessThan(0.01)
  })

  it('stay the same when one record comes or goes', () => {
    const more = replaceChanged(
      held,
      read({ rows: 1_201, averageLength: 11.1, sampled: 1_201 }, { common: 401, some: 41, few: 3, fresh: 2 }),
    )
    expect(more).toEqual(held)
    const { few: _, ...rest } = counts
    const less = { rows: 1_199, averageLength: 10.9, sampled: 1_199, counts: new Map(Object.entries(rest)) }
    expect(replaceChanged(held, less)).toEqual(held)
  })

  it('follow the store when it has clearly changed', () => {
    expect(replaceChanged(held, read({ rows: 1_400, sampled: 1_400 })).rows).toBeCloseTo(1_400, -2)
    expect(replaceChanged(held, read({ averageLength: 14 })).averageLength).toBeCloseTo(14, 0)
    const turned = replaceChanged(held, read({}, { common: 200, some: 41, fresh: 90 }))
    expect(turned).toEqual({ ...held, counts: turned.counts })
    expect(turned.counts.get('common')).toBeCloseTo(200, -1)
    expect(turned.counts.get('fresh')).toBeCloseTo(90, -1)
    expect(turned.counts.get('some')).toBe(held.counts.get('some'))
    const gone = { ...read(), counts: new Map([['few', 2]]) }
    expect([...replaceChanged(held, gone).counts.keys()]).toEqual(['few'])
  })

  it('are those of an empty store', () => {
    const none = { rows: 0, averageLength: 1, sampled: 0, counts: new Map<string, number>() }
    expect(replaceChanged(undefined, none)).toEqual(none)
    expect(replaceChanged(none, read()).rows).toBe(held.rows)
  })
})
