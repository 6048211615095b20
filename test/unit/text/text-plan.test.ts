import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planCombinations } from '../../../src/retrieval/text/combination-plan.ts'
import { planSearch } from '../../../src/retrieval/text/search-plan.ts'
import {
  sortRarestFirst,
  type WordStatistics,
} from '../../../src/retrieval/text/statistics/word-statistics.ts'
import { toAlternatives } from '../../../src/retrieval/text/tsquery.ts'

const alphabet = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const everyWay = fc.uniqueArray(
  fc.uniqueArray(fc.constantFrom(...alphabet), { minLength: 1, maxLength: 4 }),
  {
    minLength: 1,
    maxLength: 8,
  },
)

function statisticsOf(rows: number, counts: Readonly<Record<string, number>>): WordStatistics {
  return { rows, averageLength: 20, sampled: rows, counts: new Map(Object.entries(counts)) }
}

/** Evaluates a query as PostgreSQL does: `&` before `|`. */
function matches(query: string, words: ReadonlySet<string>): boolean {
  const expression = query.replaceAll(/'(\w)'/g, (_, word: string) => String(words.has(word)))
  return Boolean(new Function(`return ${expression.replaceAll('&', '&&').replaceAll('|', '||')}`)())
}

const shares = fc.array(fc.double({ min: 0.01, max: 0.6, noNaN: true }), { minLength: 1, maxLength: 6 })

function commonOf(rows: number, input: readonly number[]) {
  const counts = Object.fromEntries(input.map((share, at) => [alphabet[at] ?? '', Math.ceil(rows * share)]))
  const statistics = statisticsOf(rows, counts)
  const words = Object.entries(counts).map(([word, count]) => ({ word, count }))
  return { words, phrased: [], share: 1, statistics }
}

const scoreOf = (count: number, rows: number) => 1.4 * Math.log(1 + (rows - count + 0.5) / (count + 0.5))

describe('a query of sets of words', () => {
  it('matches exactly the texts with all words of one set', () => {
    fc.assert(
      fc.property(everyWay, fc.subarray(alphabet), (sets, words) => {
        const query = new Set(words)
        const isMet = sets.some((set) => set.every((word) => query.has(word)))
        expect(matches(toAlternatives(sets), query)).toBe(isMet)
      }),
    )
  })
})

describe('the plan for common words', () => {
  it('finds everything that could exceed the lowest score, when that is few enough', () => {
    fc.assert(
      fc.property(
        shares,
        fc.double({ min: 0, max: 30, noNaN: true }),
        fc.subarray(alphabet),
        (input, least, some) => {
          const rows = 50
          const common = commonOf(rows, input)
          const sets = planCombinations(common, least)
          const chosen = common.words.filter(({ word }) => some.includes(word))
          const score = chosen.reduce((sum, { count }) => sum + scoreOf(count, rows), 0)
          const isSought = sets.some((set) => set.every((word) => some.includes(word)))
          expect(isSought).toBe(score > least)
        },
      ),
    )
  })

  it('reads a limited share of a large store for any question', () => {
    fc.assert(
      fc.property(shares, (input) => {
        const rows = 1_000_000
        const common = commonOf(rows, input)
        const countOf = new Map(common.words.map(({ word, count }) => [word, count]))
        const expected = planCombinations(common, 0).map((set) =>
          set.reduce((product, word) => (product * (countOf.get(word) ?? 0)) / rows, rows),
        )
        expect(expected.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1_500)
      }),
    )
  })

  it('is computed in bounded time for the longest question', () => {
    const words = Array.from({ length: 24 }, (_, at) => ({ word: `word${at}`, count: 300_000 }))
    const statistics = statisticsOf(
      1_000_000,
      Object.fromEntries(words.map(({ word, count }) => [word, count])),
    )
    const sets = planCombinations({ words, phrased: [], share: 1, statistics }, 5)
    expect(sets.length).toBeLessThanOrEqual(64)
  })
})

describe('the plan for rare words', () => {
  const statistics = statisticsOf(1_000_000, { x: 3, y: 40, z: 600, common: 90_000 })

  it('starts with the rarest, and leaves out words of too many records', () => {
    expect(sortRarestFirst(['common', 'z', 'x', 'y'], statistics)).toEqual(['x', 'y', 'z', 'common'])
    const { rare, common } = planSearch(['common', 'z', 'x', 'y'], 1, statistics)
    expect(rare.map(({ word }) => word)).toEqual(['x', 'y'])
    expect(common.map(({ word }) => word)).toEqual(['z', 'common'])
  })

  it('adds a more frequent word when the rarer ones match too little', () => {
    const { rare } = planSearch(['common', 'z', 'x'], 1, statistics)
    expect(rare.map(({ word }) => word)).toEqual(['x', 'z'])
  })

  it('looks up every word when few records are possible', () => {
    expect(planSearch(['common', 'z', 'x'], 0.0005, statistics).common).toEqual([])
  })
})
