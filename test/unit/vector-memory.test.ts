import { describe, expect, it } from 'vitest'
import { createVectorMemory } from '../../src/embeddings/vector-memory.ts'

const dimensions = 100
const vectorBytes = 4 * dimensions + 300

function decodedOf(id: string) {
  const vector = new Float32Array(dimensions).fill(1)
  return { id, vector, bits: 32 as const, step: 0, square: dimensions }
}

function openMemory({ room = 100 } = {}) {
  const time = { minutes: 0 }
  const memory = createVectorMemory({
    mostBytes: room * vectorBytes,
    now: () => time.minutes * 60_000,
  })
  return { ...memory, time }
}

describe('vectors in memory', () => {
  it('are found by model, record and version', () => {
    const store = openMemory().openStore()
    store.keep(1, 'first', decodedOf('a'))
    expect(store.find(1, 'a', 'first')).toEqual(decodedOf('a'))
    expect(store.find(1, 'a', 'second')).toBeUndefined()
    expect(store.find(2, 'a', 'first')).toBeUndefined()
    expect(store.find(1, 'b', 'first')).toBeUndefined()
  })

  it('are replaced by a later version', () => {
    const store = openMemory().openStore()
    store.keep(1, 'first', decodedOf('a'))
    store.keep(1, 'second', decodedOf('a'))
    expect(store.find(1, 'a', 'first')).toBeUndefined()
    expect(store.find(1, 'a', 'second')).toBeDefined()
  })

  it('of one store are not found by another', () => {
    const { openStore } = openMemory()
    const [one, other] = [openStore(), openStore()]
    one.keep(1, 'first', decodedOf('a'))
    expect(other.find(1, 'a', 'first')).toBeUndefined()
  })

  it('have room for whole stores only, until one is not asked for ten minutes', () => {
    const { openStore, time } = openMemory({ room: 100 })
    const [large, small, other] = [openStore(), openStore(), openStore()]
    expect(large.hasRoom({ vectors: 101, dimensions })).toBe(false)
    expect(small.hasRoom({ vectors: 60, dimensions })).toBe(true)
    expect(other.hasRoom({ vectors: 60, dimensions })).toBe(false)
    expect(other.hasRoom({ vectors: 40, dimensions })).toBe(true)
    expect(small.hasRoom({ vectors: 61, dimensions })).toBe(false)
    expect(other.hasRoom({ vectors: 100, dimensions })).toBe(true)
    time.minutes = 10
    expect(small.hasRoom({ vectors: 100, dimensions })).toBe(true)
  })

  it('go when the store has grown too large', () => {
    const store = openMemory({ room: 100 }).openStore()
    store.hasRoom({ vectors: 100, dimensions })
    store.keep(1, 'v', decodedOf('a'))
    store.hasRoom({ vectors: 101, dimensions })
    expect(store.find(1, 'a', 'v')).toBeUndefined()
  })

  it('go within twenty minutes of searches when they are not used, and stay when they are', () => {
    const { openStore, time } = openMemory()
    const store = openStore()
    const search = () => store.hasRoom({ vectors: 100, dimensions })
    store.keep(1, 'v', decodedOf('erased'))
    store.keep(1, 'v', decodedOf('used'))
    for (time.minutes = 1; time.minutes <= 20; time.minutes++) {
      search()
      expect(store.find(1, 'used', 'v')).toBeDefined()
    }
    expect(store.find(1, 'erased', 'v')).toBeUndefined()
  })
})
