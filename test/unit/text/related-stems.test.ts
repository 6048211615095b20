import { describe, expect, it } from 'vitest'
import { findRelatedWords } from '../../../src/embeddings/index.ts'
import { pickRelated } from '../../../src/retrieval/text/search-plan.ts'
import {
  computeGain,
  createRelatedSum,
  pickRelatedTo,
  weighRelated,
} from '../../../src/retrieval/text/stems/related-stems.ts'

const vehicle = { word: 'vehicl', of: 'car', weight: 0.3 }
const store = { rows: 100 }
const truck = { word: 'truck', of: 'car', weight: 0.2 }

describe('words of a related meaning', () => {
  it('lists the nearest first, and nothing for a word that the table does not know', () => {
    const similarities = findRelatedWords('car').map(({ similarity }) => similarity)
    expect(findRelatedWords('car')[0]?.word).toBe('vehicle')
    expect(similarities).toEqual([...similarities].sort((one, other) => other - one))
    expect(findRelatedWords('zzzz')).toEqual([])
  })

  it('does not list another month, day or number for one', () => {
    for (const exact of ['march', 'monday', 'seven']) expect(findRelatedWords(exact)).toEqual([])
    expect(findRelatedWords('weekend').map(({ word }) => word)).not.toContain('saturday')
  })

  it('count less than the word itself, however near they are', () => {
    expect(weighRelated(1)).toBeLessThan(0.5)
    expect(weighRelated(0.9)).toBeGreaterThan(weighRelated(0.5))
  })

  it('count even less where they are more common than the word for which they stand', () => {
    expect(computeGain(vehicle, { idf: 5, idfOfWord: 4 }, store)).toBe(0.3)
    expect(computeGain(vehicle, { idf: 2, idfOfWord: 4 }, store)).toBe(0.15)
    expect(computeGain(vehicle, { idf: 2, idfOfWord: 0 }, store)).toBe(0)
  })

  it('add to the count of their word, of several only the nearest', () => {
    const related = [
      { ...vehicle, gain: 0.3 },
      { ...truck, gain: 0.2 },
    ]
    const addRelated = createRelatedSum(['car', 'red'], related)
    expect(addRelated([1, 0, 0, 4])).toEqual([1.2, 0])
    expect(addRelated([0, 2, 1, 4])).toEqual([0.3, 2])
    expect(addRelated([0, 2, 0, 0])).toEqual([0, 2])
  })

  it('are searched only beside the word for which they stand', () => {
    expect(pickRelatedTo([{ word: 'car' }], [vehicle])).toEqual([vehicle])
    expect(pickRelatedTo([{ word: 'red' }], [vehicle])).toEqual([])
  })

  it('are looked up from the rarest on, while the words of the question leave room', () => {
    const statistics = {
      rows: 100_000,
      averageLength: 20,
      sampled: 100_000,
      counts: new Map([
        ['car', 600],
        ['vehicl', 300],
        ['truck', 200],
      ]),
    }
    expect(pickRelated([vehicle, truck], [{ word: 'car', count: null }], 1, statistics)).toEqual([truck])
    expect(pickRelated([vehicle, truck], [], 1, statistics)).toEqual([truck, vehicle])
    expect(pickRelated([vehicle, truck], [], 1, { ...statistics, rows: 900 })).toEqual([truck, vehicle])
  })
})
