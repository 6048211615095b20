import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Guard } from '../../../src/db/shared-transactions.ts'
import {
  createControlled,
  databaseError,
  settled,
} from '../../support/statements/controlled-shared-transactions.ts'

/** Guards that admit all but some numbers, and what was kept for the others. */
function createGuards(refused: readonly number[]) {
  const kept: object[] = []
  const store: Guard['store'] = {
    admit: async (_, guards) =>
      guards.map((guard) => (refused.includes(Reflect.get(guard, 'of')) ? new Error('refused') : undefined)),
    save: async (_, settled) => void kept.push(...settled),
  }
  const guardOf = (of: number) => ({ of, store, settle: (outcome: string) => ({ of, outcome }) })
  return { kept, guardOf }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a guard', () => {
  it('keeps the outcome of each request that it admits, among requests without one', async () => {
    const { share, runs, items } = createControlled()
    const { kept, guardOf } = createGuards([4, 6])
    const answers = [1, 2, 3, 4, 5, 6].map((item) => share(item, item === 3 ? undefined : guardOf(item)))
    for (const answer of answers) answer.catch(() => {})
    await settled()
    for (const at of [0, 1]) runs[at]?.end()
    await settled()
    expect(items()[2]).toEqual([3, 5])
    runs[2]?.end()
    const results = await Promise.allSettled(answers)
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'refused'))).toEqual([
      '1 alone',
      '2 alone',
      '3',
      'refused',
      '5',
      'refused',
    ])
    expect(kept).toEqual([
      { of: 1, outcome: '1 alone' },
      { of: 2, outcome: '2 alone' },
      { of: 5, outcome: '5' },
    ])
  })

  it('runs nothing when it admits none, and what it admits alone runs alone', async () => {
    const { share, runs, items } = createControlled()
    const { kept, guardOf } = createGuards([1, 4])
    const answers = [1, 2, 3, 4].map((item) => share(item, guardOf(item)))
    for (const answer of answers) answer.catch(() => {})
    await settled()
    expect(items()).toEqual([[2], [3]])
    for (const run of runs) run.end()
    expect(await answers[1]).toBe('2 alone')
    expect(await answers[2]).toBe('3 alone')
    await expect(answers[0]).rejects.toThrow('refused')
    await expect(answers[3]).rejects.toThrow('refused')
    expect(kept).toHaveLength(2)
  })

  it('is asked again for a request that has to run alone, and keeps nothing of a run that failed', async () => {
    const { share, runs, items } = createControlled()
    const { kept, guardOf } = createGuards([])
    const answers = [1, 2, 3, 4, 5].map((item) => share(item, guardOf(item)))
    await settled()
    for (const at of [0, 1]) runs[at]?.end()
    await settled()
    runs[2]?.fail(databaseError('40P01'))
    await settled()
    expect(items().slice(3)).toEqual([[3], [4], [5]])
    for (const run of runs.slice(3)) run.end()
    expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5].map((item) => `${item} alone`))
    expect(kept).toHaveLength(5)
  })

  it('keeps nothing for an outcome that is not to be kept', async () => {
    const { share, runs } = createControlled()
    const { kept, guardOf } = createGuards([])
    const answer = share(1, { ...guardOf(1), settle: () => undefined })
    await settled()
    runs[0]?.end()
    expect(await answer).toBe('1 alone')
    expect(kept).toEqual([])
  })
})
