import { describe, expect, it } from 'vitest'
import { placeInConversation } from '../../../src/domain/worth/worth-context.ts'
import { readWorthParts } from '../../../src/domain/worth/worth-parts.ts'

describe('the worth of a text', () => {
  // A pattern that divides the marks in every possible way takes minutes, and the test ends with its timeout.
  it.each(["'", '"', "'.", '’', '”!', ')]'])('is judged for a long run of %s', (marks) => {
    for (const letter of ['a', 'b', 'c', 'é', 'ñ', 'ü']) {
      const text = `${letter}${marks.repeat(1_900 / marks.length)}1 b c d`
      expect(readWorthParts({ text, role: 'user' }).machine).toBe(0)
    }
  })

  it('is read in linear time', () => {
    for (const text of ['://', '\n', '- ', '<@ABCDEF|', 'http://'].map(
      (each) => each + '?'.repeat(100_000),
    )) {
      const start = performance.now()
      placeInConversation([{ role: 'user', text }], [{ role: 'user', text: `${text} ` }])
      expect(performance.now() - start).toBeLessThan(1_000)
    }
  })

  it.each(['.', '_', '._'])('is judged fast for long runs of %s', (marks) => {
    const measure = (text: string) => {
      const start = performance.now()
      for (let count = 0; count < 5; count++) readWorthParts({ text })
      return performance.now() - start
    }
    const texts = ['The word. '.repeat(190), `1 ${marks.repeat(1_900 / marks.length)}`]
    // The shortest of many times: other work of the machine only makes a time longer.
    const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let round = 0; round < 40; round++)
      for (const [place, text] of texts.entries()) best[place] = Math.min(best[place] ?? 0, measure(text))
    const [plain = 0, row = 0] = best
    expect(row).toBeLessThan(20 * plain)
  })

  it.each([
    [`"('It's well-known')," he said`, 0],
    ['“L’été” …’ ‘ça’, ‘là’', 0],
    ["rock'n'roll' '' -- 'tis 12 a1 b2", 1],
  ])('counts words with the marks around them as prose: %s', (text, machine) => {
    expect(readWorthParts({ text }).machine).toBe(machine)
  })
})
