import { describe, expect, it } from 'vitest'
import { type MessageWords, scoreInContext } from '../../src/retrieval/text/context-score.ts'

const store = { averageLength: 10 }
const message = (...counts: number[]): MessageWords => ({ counts, words: 10 })
const idfs = [2, 1]
const score = (messages: readonly MessageWords[], place: number) =>
  scoreInContext(messages, place, idfs, store)

describe('the score of a message in its conversation', () => {
  it('is BM25 over its own words when it has no neighbour, 15 % of it with the usual length norm', () => {
    const inContext = (2 * 2.2) / (1 + 1.2 * (0.5 + (0.5 * 10) / (10 * 2.5)))
    const alone = (2 * 2.2) / (1 + 1.2)
    expect(score([message(1, 0)], 0)).toBeCloseTo(0.85 * inContext + 0.15 * alone, 8)
  })

  it('counts a message without a word of the question by the words of its neighbours', () => {
    expect(score([message(1, 1), message(0, 0)], 1)).toBeGreaterThan(0)
    expect(score([message(0, 0), message(0, 0)], 1)).toBe(0)
  })

  it('counts the message before more than the message after, and a distance of two less than of one', () => {
    const [found, empty] = [message(1, 0), message(0, 0)]
    const atEnd = score([found, empty], 1)
    const before = score([empty, found], 0)
    const farther = score([found, empty, empty], 2)
    expect(atEnd).toBeGreaterThan(before)
    expect(before).toBeGreaterThan(0)
    expect(farther).toBeLessThan(atEnd)
  })

  it('ignores messages that are more than two away', () => {
    const [found, empty] = [message(5, 5), message(0, 0)]
    expect(score([found, empty, empty, empty], 3)).toBe(0)
  })
})
