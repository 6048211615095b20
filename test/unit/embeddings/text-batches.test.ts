import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clip, groupTexts, hasWord } from '../../../src/embeddings/embedders/text-batches.ts'
import { halve } from '../../../src/kernel/collections/halve.ts'

const lengths = fc.array(fc.integer({ min: 1, max: 90_000 }), { maxLength: 100 })
const textsOf = (sizes: readonly number[]) =>
  sizes.map((size, index) => ({ id: `${index}`, text: 'x'.repeat(size) }))

describe('batches of texts', () => {
  it('contain every text in order, and none exceeds the limit of a server', () => {
    fc.assert(
      fc.property(lengths, (sizes) => {
        const groups = groupTexts(textsOf(sizes))
        expect(groups.flat().map(({ id }) => id)).toEqual(sizes.map((_, index) => `${index}`))
        for (const group of groups) {
          expect(group.length).toBeGreaterThan(0)
          expect(group.length).toBeLessThanOrEqual(32)
          const characters = group.reduce((sum, { text }) => sum + text.length, 0)
          expect(group.length === 1 || characters <= 65_536).toBe(true)
        }
      }),
    )
  })

  it('are halved until each text stands alone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 32 }), (count) => {
        const alone: string[] = []
        const left = [textsOf(Array(count).fill(1))]
        for (let group = left.pop(); group; group = left.pop()) {
          const halves = halve(group)
          if (halves.length === 0) alone.push(...group.map(({ id }) => id))
          left.push(...halves)
        }
        expect(alone.sort()).toEqual(Array.from({ length: count }, (_, index) => `${index}`).sort())
      }),
    )
  })
})

describe('a text', () => {
  it('is cut to a length without splitting a character', () => {
    expect(clip({ id: '1', text: 'ab😀' }, 3)).toEqual({ id: '1', text: 'ab\uFFFD' })
    expect(clip({ id: '1', text: 'short' }, 100)).toEqual({ id: '1', text: 'short' })
  })

  it.each([
    ['...', false],
    [' \n\u0000', false],
    ['', false],
    ['a', true],
    ['… 7', true],
    ['京', true],
  ])('%j has a word: %s', (text, expected) => {
    expect(hasWord(text)).toBe(expected)
  })
})
