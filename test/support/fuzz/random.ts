export type Random = ReturnType<typeof createRandom>

/** Mulberry32: the same seed gives the same numbers on every machine. */
export function createRandom(seed: number) {
  let state = seed >>> 0

  function unit(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer from 0 to `limit` − 1. */
  const below = (limit: number) => Math.floor(unit() * limit)

  function pick<T>(list: readonly T[]): T {
    const chosen = list[below(list.length)]
    if (chosen === undefined && list.length === 0) throw new Error('there is nothing to pick from')
    return chosen as T
  }

  return { unit, below, pick, chance: (share: number) => unit() < share }
}
