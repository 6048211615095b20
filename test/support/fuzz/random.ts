import { createRandom as createNumbers } from '../../../bench/load.ts'

export type Random = ReturnType<typeof createRandom>

/** Choices that are the same for a seed on every machine. */
export function createRandom(seed: number) {
  const unit = createNumbers(seed)

  /** An integer from 0 to `limit` − 1. */
  const below = (limit: number) => Math.floor(unit() * limit)

  function pick<T>(list: readonly T[]): T {
    const chosen = list[below(list.length)]
    if (chosen === undefined && list.length === 0) throw new Error('there is nothing to pick from')
    return chosen as T
  }

  return { unit, below, pick, chance: (share: number) => unit() < share }
}
