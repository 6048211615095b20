import { describe, expect, it } from 'vitest'
import { weighWords } from '../../../src/retrieval/text/memory/word-weights.ts'

const sought = {
  words: ['car', 'red'],
  occurrences: new Map<string, number>(),
  remarked: new Set<string>(),
  related: [{ word: 'vehicl', of: 'car', weight: 0.3 }],
}
const weigh = (counts: Readonly<Record<string, number>>, more: object = {}) =>
  weighWords({ ...sought, ...more }, (word) => counts[word] ?? 0, 10_000)

describe('the weights of the words of a question', () => {
  it('give a related word a part of the weight of its word', () => {
    const { weights, related } = weigh({ car: 10, red: 100, vehicl: 10 })
    expect(weights.map(([word]) => word)).toEqual(['car', 'red', 'vehicl'])
    expect(related).toEqual([{ word: 'vehicl', of: 'car', weight: 0.3, gain: 0.3 }])
    expect(weights[2]?.[1]).toBeCloseTo(0.3 * (weights[0]?.[1] ?? 0), 12)
  })

  it('leave out a related word that occurs nowhere, or in very many texts', () => {
    expect(weigh({ car: 10, vehicl: 0 }).related).toEqual([])
    expect(weigh({ car: 10, vehicl: 2_001 }).related).toEqual([])
    expect(weigh({ car: 10, vehicl: 2_000 }).related).toHaveLength(1)
  })

  it('leave out what stands for a word that is not searched', () => {
    const rare = Array.from({ length: 48 }, (_, at) => `rare${at}`)
    const counts = Object.fromEntries(rare.map((word) => [word, 1]))
    const { idfs, related } = weigh({ ...counts, car: 100, vehicl: 10 }, { words: ['car', ...rare] })
    expect([...idfs.keys()].sort()).toEqual([...rare].sort())
    expect(related).toEqual([])
  })

  it('search the words that occur before those that do not', () => {
    const unknown = Array.from({ length: 48 }, (_, at) => `unknown${at}`)
    const { idfs } = weigh({ car: 100 }, { words: [...unknown, 'car'] })
    expect(idfs.size).toBe(48)
    expect([...idfs.keys()][0]).toBe('car')
  })

  it('search a word that the question repeats before rarer words', () => {
    const rare = Array.from({ length: 48 }, (_, at) => `rare${at}`)
    const counts = { ...Object.fromEntries(rare.map((word) => [word, 50])), car: 100 }
    const words = ['car', ...rare]
    expect(weigh(counts, { words }).idfs.has('car')).toBe(false)
    const repeated = weigh(counts, { words, occurrences: new Map([['car', 3]]) })
    expect(repeated.idfs.size).toBe(48)
    expect(repeated.idfs.has('car')).toBe(true)
  })
})
