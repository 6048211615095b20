import type { DecodedVector } from './decoded-vectors.ts'

const defaultBytes = 64 * 1_048_576
/** What a vector takes beside its coordinates. */
const overheadBytes = 300
const generationMs = 10 * 60_000

type Kept = { version: string; decoded: DecodedVector }
type Options = { mostBytes?: number; now?: () => number; later?: (run: () => void, ms: number) => void }
type Size = { vectors: number; dimensions: number }

export type VectorMemory = ReturnType<typeof createVectorMemory>
export type StoreVectors = ReturnType<VectorMemory['openStore']>

/**
 * Keeps decoded vectors in the process, so that a search need not read the same ones again. All stores of the process share
 * the room. A store has all of its vectors there or none: a part of them is rarely the part that the next question needs, and
 * to exchange them takes longer than to read them.
 */
export function createVectorMemory({
  mostBytes = defaultBytes,
  now = () => performance.now(),
  later = (run, ms) => void setTimeout(run, ms).unref(),
}: Options = {}) {
  const reserved = new Map<object, { bytes: number; until: number }>()

  function reserve(store: object, { vectors, dimensions }: Size): boolean {
    const time = now()
    for (const [other, { until }] of reserved) if (until <= time) reserved.delete(other)
    reserved.delete(store)
    const bytes = vectors * (4 * dimensions + overheadBytes)
    const taken = [...reserved.values()].reduce((sum, other) => sum + other.bytes, 0)
    if (taken + bytes > mostBytes) return false
    reserved.set(store, { bytes, until: time + generationMs })
    return true
  }

  /**
   * The vectors of one store, which no other finds. They are in two generations: every ten minutes the younger one becomes the
   * older one. A vector that is used in neither goes, also that of a record that was erased, and also while nobody searches.
   */
  function openStore() {
    const store = {}
    let young = new Map<string, Kept>()
    let old = new Map<string, Kept>()
    let isAgeing = false

    /** Whether there is room for all vectors of the store, which is asked before each search. */
    function hasRoom(size: Size): boolean {
      const isIn = reserve(store, size)
      if (!isIn) [young, old] = [new Map(), new Map()]
      return isIn
    }

    function age(): void {
      old = young
      young = new Map()
      isAgeing = old.size > 0
      if (isAgeing) later(age, generationMs)
    }

    /** Returns a vector only for the version that the database has just named. */
    function find(modelId: number, id: string, version: string): DecodedVector | undefined {
      const key = `${modelId} ${id}`
      const kept = young.get(key) ?? old.get(key)
      if (kept?.version !== version) return undefined
      young.set(key, kept)
      return kept.decoded
    }

    function keep(modelId: number, version: string, decoded: DecodedVector): void {
      young.set(`${modelId} ${decoded.id}`, { version, decoded })
      if (isAgeing) return
      isAgeing = true
      later(age, generationMs)
    }

    return { hasRoom, find, keep }
  }

  return { openStore }
}
