import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasEnded, mergeSnapshots } from '../../../src/db/memory/snapshots.ts'

const snapshot = fc
  .tuple(fc.uniqueArray(fc.integer({ min: 1, max: 40 })), fc.integer({ min: 41, max: 50 }))
  .map(([open, next]) => {
    const listed = open.sort((one, other) => one - other)
    return `${listed[0] ?? next}:${next}:${listed.join(',')}`
  })
const transactions = Array.from({ length: 60 }, (_, at) => at)

describe('a snapshot', () => {
  it('has seen what ended before it, and nothing that is open or later', () => {
    const ended = transactions.filter((transaction) => hasEnded('10:15:10,12', transaction))
    expect(ended).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 14])
    expect(hasEnded('10:10:', 9)).toBe(true)
    expect(hasEnded('10:10:', 10)).toBe(false)
  })

  it('merged with another has seen what one of them has seen, and is written as PostgreSQL writes it', () => {
    expect(mergeSnapshots('100:200:100', '150:150:')).toBe('200:200:')
    expect(mergeSnapshots('100:104:100,103', '102:103:102')).toBe('103:104:103')
    fc.assert(
      fc.property(snapshot, snapshot, (one, other) => {
        const merged = mergeSnapshots(one, other)
        for (const transaction of transactions)
          expect(hasEnded(merged, transaction)).toBe(
            hasEnded(one, transaction) || hasEnded(other, transaction),
          )
        const [oldest, next, open = ''] = merged.split(':')
        const listed = open === '' ? [] : open.split(',').map(Number)
        expect(Number(oldest)).toBe(listed[0] ?? Number(next))
        expect(listed).toEqual([...listed].sort((a, b) => a - b))
      }),
    )
  })
})
