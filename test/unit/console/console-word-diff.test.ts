import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffWords } from '../../../src/console/browser/pages/record/word-diff.js'
import { countRuns } from '../../support/long-run.ts'

describe('the difference of two texts', () => {
  it('contains both texts as they are', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 })
    fc.assert(
      fc.property(text, text, (before, after) => {
        const pieces = diffWords(before, after)
        const without = (kind: string) =>
          pieces
            .filter((piece) => piece.kind !== kind)
            .map((piece) => piece.text)
            .join('')
        expect(without('added')).toBe(before)
        expect(without('removed')).toBe(after)
      }),
      { numRuns: countRuns(1_000) },
    )
  })

  it('names the words that changed', () => {
    expect(diffWords('Ben lives in the old town', 'Ben lives in a new town')).toEqual([
      { kind: 'same', text: 'Ben lives in ' },
      { kind: 'removed', text: 'the' },
      { kind: 'added', text: 'a' },
      { kind: 'same', text: ' ' },
      { kind: 'removed', text: 'old' },
      { kind: 'added', text: 'new' },
      { kind: 'same', text: ' town' },
    ])
  })
})
