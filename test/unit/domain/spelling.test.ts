import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOneEditSearch, isOneEditApart } from '../../../src/domain/words/one-edit.ts'
import { findCorrections, mayBeMisspelled } from '../../../src/embeddings/index.ts'

const letter = fc.constantFrom(...'abc')
const word = fc.array(letter, { minLength: 2, maxLength: 7 }).map((letters) => letters.join(''))
const place = fc.nat({ max: 6 })

/** The least number of edits by the textbook: the distance of optimal string alignment. */
function countEdits(one: string, other: string): number {
  // The first row and the first column hold the edits between a beginning and no letters.
  const rows = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_, column) => (row === 0 || column === 0 ? row + column : 0)),
  )
  const get = (row: number, column: number) => rows[row]?.[column] ?? 0
  for (let row = 1; row <= one.length; row++) {
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const distance = Math.min(
        get(row - 1, column) + 1,
        get(row, column - 1) + 1,
        get(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? get(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
      rows[row]?.splice(column, 1, distance)
    }
  }
  return get(one.length, other.length)
}

describe('two words that differ by one letter', () => {
  it('are those whose distance is one', () => {
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(isOneEditApart(one, other)).toBe(countEdits(one, other) === 1)
      }),
      { numRuns: 2_000 },
    )
  })

  it('are a word and what one edit makes of it, in both directions', () => {
    fc.assert(
      fc.property(word, place, letter, (written, at, added) => {
        const longer = written.slice(0, at) + added + written.slice(at)
        expect([isOneEditApart(written, longer), isOneEditApart(longer, written)]).toEqual([true, true])
      }),
    )
  })
})

describe('a search for words that differ by one letter', () => {
  it('finds what a comparison with each word finds', () => {
    const short = fc.array(letter, { maxLength: 7 }).map((letters) => letters.join(''))
    fc.assert(
      fc.property(short, fc.uniqueArray(short, { maxLength: 200 }), (misspelled, words) => {
        const compared = words.filter((each) => isOneEditApart(misspelled, each))
        expect(createOneEditSearch(words)(misspelled).sort()).toEqual(compared.sort())
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('corrections of a word', () => {
  it.each([
    ['reserch', 'research'],
    ['likley', 'likely'],
    ['educaton', 'education'],
    ['schoxl', 'school'],
    ['crrent', 'current'],
    ['melane', 'melanie'],
  ])('of %s begin with %s', (misspelled, meant) => {
    expect(findCorrections(misspelled)[0]).toBe(meant)
  })

  it('lists the most common words first, and at most three', () => {
    expect(findCorrections('panit')).toEqual(['panic', 'paint', 'pandit'])
  })

  it.each(['paint', 'postgres', 'kubectl', 'teh', 'übung', '', 'a'.repeat(1_000)])(
    'of %j are none',
    (known) => {
      expect(findCorrections(known)).toEqual([])
    },
  )

  it('is not searched for a word of the vocabulary', () => {
    expect(mayBeMisspelled('paint')).toBe(false)
    expect(mayBeMisspelled('panit')).toBe(true)
  })
})
