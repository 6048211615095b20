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
  const waiting: { run: () => void; minute: number }[] = []
  const memory = createVectorMemory({
    mostBytes: room * vectorBytes,
    now: () => time.minutes * 60_000,
    later: (run, ms) => waiting.push({ run, minute: time.minutes + ms / 60_000 }),
  })
  function wait(minutes: number): void {
    for (const end = time.minutes + minutes; time.minutes < end; ) {
      time.minutes++
      const due = waiting.filter(({ minute }) => minute <= time.minutes)
      for (const each of due) waiting.splice(waiting.indexOf(each), 1)[0]?.run()
    }
  }
  return { ...memory, wait, waiting }
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
    const { openStore, wait } = openMemory({ room: 100 })
    const [large, small, other] = [openStore(), openStore(), openStore()]
    expect(large.hasRoom({ vectors: 101, dimensions })).toBe(false)
    expect(small.hasRoom({ vectors: 60, dimensions })).toBe(true)
    expect(other.hasRoom({ vectors: 60, dimensions })).toBe(false)
    expect(other.hasRoom({ vectors: 40, dimensions })).toBe(true)
    expect(small.hasRoom({ vectors: 61, dimensions })).toBe(false)
    expect(other.hasRoom({ vectors: 100, dimensions })).toBe(true)
    wait(10)
    expect(small.hasRoom({ vectors: 100, dimensions })).toBe(true)
  })

  it('go when the store has grown too large', () => {
    const store = openMemory({ room: 100 }).openStore()
    store.hasRoom({ vectors: 100, dimensions })
    store.keep(1, 'v', decodedOf('a'))
    store.hasRoom({ vectors: 101, dimensions })
    expect(store.find(1, 'a', 'v')).toBeUndefined()
  })

  it('go within twenty minutes when they are not used, and stay when they are', () => {
    const { openStore, wait } = openMemory()
    const store = openStore()
    store.keep(1, 'v', decodedOf('erased'))
    store.keep(1, 'v', decodedOf('used'))
    for (let minute = 1; minute <= 20; minute++) {
      wait(1)
      expect(store.find(1, 'used', 'v')).toBeDefined()
    }
    expect(store.find(1, 'erased', 'v')).toBeUndefined()
  })

  it('go without a search, after which nothing is waited for', () => {
    const { openStore, wait, waiting } = openMemory()
    const store = openStore()
    store.keep(1, 'v', decodedOf('a'))
    wait(9)
    expect(store.find(1, 'a', 'v')).toBeDefined()
    wait(20)
    expect(waiting).toEqual([])
    expect(store.find(1, 'a', 'v')).toBeUndefined()
    store.keep(1, 'v', decodedOf('a'))
    expect(waiting).toHaveLength(1)
  })
})
