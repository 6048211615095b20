import { describe, expect, it } from 'vitest'
import {
  type MessageWords,
  scoreWithNeighbours,
} from '../../../src/retrieval/text/surroundings/surroundings-score.ts'

const store = { averageLength: 10 }
const message = (...counts: number[]): MessageWords => ({ counts, words: 10, asks: false, speaker: 0 })
const question = (...counts: number[]): MessageWords => ({ ...message(...counts), asks: true })
const by = (speaker: number, said: MessageWords): MessageWords => ({ ...said, speaker })
const idfs = [2, 1]
const score = (messages: readonly MessageWords[], place: number) =>
  scoreWithNeighbours(messages, place, idfs, store)

describe('the score of a message in its conversation', () => {
  it('is BM25 over its own words when it has no neighbour, 15 % of it with the usual length norm', () => {
    const withNeighbours = (2 * 2.2) / (1 + 1.2 * (0.5 + (0.5 * 10) / (10 * 3)))
    const alone = (2 * 2.2) / (1 + 1.2)
    expect(score([message(1, 0)], 0)).toBeCloseTo(0.85 * withNeighbours + 0.15 * alone, 8)
  })

  it('is BM25 over its own words alone, as far as it is longer than a hundred words', () => {
    const long = (words: number) => ({ ...message(1, 0), words })
    const beside = (words: number) => score([message(5, 5), long(words)], 1) / score([long(words)], 0)
    expect(beside(30)).toBeGreaterThan(1.1)
    expect(beside(100)).toBeGreaterThan(beside(200))
    expect(beside(1_000)).toBeCloseTo(1, 1)
    const alone = (2 * 2.2) / (1 + 1.2 * (0.25 + (0.75 * 10_000) / 100))
    expect(score([long(10_000)], 0)).toBeCloseTo(alone, 2)
  })

  it('counts a message without a word of the question by the words of its neighbours', () => {
    expect(score([message(1, 1), message(0, 0)], 1)).toBeGreaterThan(0)
    expect(score([message(0, 0), message(0, 0)], 1)).toBe(0)
  })

  it('counts the message before more than the message after', () => {
    const found = message(1, 0)
    const empty = message(0, 0)
    expect(score([found, empty], 1)).toBeGreaterThan(score([empty, found], 0))
    expect(score([empty, found], 0)).toBeGreaterThan(0)
  })

  it('counts the message after the first of a session more than the message after another', () => {
    const [found, empty] = [message(1, 0), message(0, 0)]
    expect(score([empty, found], 0)).toBeGreaterThan(1.5 * score([empty, empty, found], 1))
    expect(score([found, empty], 1)).toBeGreaterThan(score([empty, found], 0))
  })

  it('counts the words of a question most in the message after it', () => {
    const asked = question(1, 0)
    const stated = message(1, 0)
    const empty = message(0, 0)
    expect(score([asked, empty], 1)).toBeGreaterThan(2 * score([stated, empty], 1))
    expect(score([asked, empty], 1)).toBeGreaterThan(2 * score([asked, empty, empty], 2))
    expect(score([asked, empty], 1)).toBeGreaterThan(2 * score([empty, asked], 0))
  })

  it('counts a message of more than eighty words that asks the more as a statement the longer it is', () => {
    const scoreAfter = (before: MessageWords) => score([before, message(0, 0)], 1)
    const gain = (words: number) =>
      scoreAfter({ ...question(1, 0), words }) / scoreAfter({ ...message(1, 0), words })
    expect(gain(80)).toBeGreaterThan(1.7)
    expect(gain(160)).toBeLessThan(1.3)
    expect(gain(160)).toBeGreaterThan(gain(320))
    expect(gain(6_000)).toBeCloseTo(1, 2)
  })

  it('counts the words of the same speaker more than those of another, and does not treat that speaker as answering their own question', () => {
    const found = message(1, 0)
    const empty = message(0, 0)
    const same = score([by(1, found), by(1, empty)], 1)
    expect(same).toBeGreaterThan(score([by(2, found), by(1, empty)], 1))
    expect(score([by(1, empty), by(1, found)], 0)).toBe(same)
    expect(score([by(1, question(1, 0)), by(1, empty)], 1)).toBe(same)
    expect(score([by(2, question(1, 0)), by(1, empty)], 1)).toBeGreaterThan(same)
  })

  it('knows nothing of speakers without a name', () => {
    const [found, empty] = [message(1, 0), message(0, 0)]
    expect(score([found, empty], 1)).toBe(score([by(1, found), by(2, empty)], 1))
  })

  it('ignores messages that are more than two away', () => {
    const found = message(5, 5)
    const empty = message(0, 0)
    expect(score([found, empty, empty, empty], 3)).toBe(0)
  })
})
