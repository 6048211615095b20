import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getWriting, runWriting, type Writing } from '../../../src/db/request-scope.ts'
import { createSharedTransactions } from '../../../src/db/shared-transactions.ts'
import { AppError } from '../../../src/kernel/errors.ts'
import {
  begin,
  createControlled,
  databaseError,
  settled,
} from '../../support/statements/controlled-shared-transactions.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('requests that wait at the same moment', () => {
  it('run alone while nothing else runs, and together after that, in the order in which they came', async () => {
    const { add, runs, items } = createControlled()
    const answers = [1, 2, 3, 4, 5].map(add)
    expect(items()).toEqual([[1], [2]])
    runs[0]?.end()
    await settled()
    expect(items()).toEqual([[1], [2], [3, 4, 5]])
    runs[1]?.end()
    runs[2]?.end()
    expect(await Promise.all(answers)).toEqual(['1 alone', '2 alone', '3', '4', '5'])
  })

  it('are at most sixteen in a run, and none is left over', async () => {
    const { add, runs, items } = createControlled()
    const answers = Array.from({ length: 42 }, (_, index) => add(index))
    for (let at = 0; at < runs.length; at++) {
      runs[at]?.end()
      await settled()
    }
    expect(items().map((each) => each.length)).toEqual([1, 1, 16, 16, 8])
    expect(await Promise.all(answers)).toHaveLength(42)
  })

  it('start during a run when there are as many as in that run, or when it ends', async () => {
    const { add, endOnes, runs, items } = createControlled()
    for (const item of [1, 2, 3, 4, 5]) void add(item)
    await endOnes()
    for (const item of [6, 7]) void add(item)
    expect(items()).toEqual([[1], [2], [3, 4, 5]])
    for (const item of [8, 9, 10]) void add(item)
    expect(items().slice(3)).toEqual([[6, 7, 8]])
    for (const at of [2, 3]) {
      expect(items()).toHaveLength(4)
      runs[at]?.end()
      await settled()
    }
    expect(items().slice(4)).toEqual([[9, 10]])
  })

  it('start during a larger run after a fiftieth of a second', async () => {
    const { add, endOnes, items } = createControlled()
    for (const item of [1, 2, 3, 4]) void add(item)
    await endOnes()
    void add(5)
    await vi.advanceTimersByTimeAsync(19)
    expect(items()).toEqual([[1], [2], [3, 4]])
    await vi.advanceTimersByTimeAsync(1)
    expect(items().slice(3)).toEqual([[5]])
  })

  it('leave out of a run what does not fit, which comes first in the next', async () => {
    const { add, runs, items } = createControlled(([first = 0], next) => first % 2 === next % 2)
    for (const item of [1, 2, 3, 4, 5, 6]) void add(item)
    runs[0]?.end()
    await settled()
    runs[1]?.end()
    await settled()
    expect(items()).toEqual([[1], [2], [3, 5], [4, 6]])
  })

  it('do not wait longer than a tenth of a second for a run that waits for a lock', async () => {
    const { add, items } = createControlled()
    for (const item of [1, 2, 3]) void add(item)
    await vi.advanceTimersByTimeAsync(99)
    expect(items()).toEqual([[1], [2]])
    await vi.advanceTimersByTimeAsync(1)
    expect(items()).toEqual([[1], [2], [3]])
  })
})

describe('a run of several requests', () => {
  async function runTogether() {
    const controlled = createControlled()
    const answers = [1, 2, 3, 4].map(controlled.add)
    for (const answer of answers) answer.catch(() => {})
    for (const at of [0, 1]) controlled.runs[at]?.end()
    await settled()
    expect(controlled.items()[2]).toEqual([3, 4])
    return { ...controlled, answers }
  }

  it('lets a request run alone that has no outcome', async () => {
    const { runs, items, answers } = await runTogether()
    runs[2]?.end(['3', undefined])
    await settled()
    expect(items().slice(3)).toEqual([[4]])
    runs[3]?.end()
    expect(await Promise.all(answers.slice(2))).toEqual(['3', '4 alone'])
  })

  it.each([
    ['a constraint', databaseError('23505')],
    ['a deadlock', databaseError('40P01')],
    ['a timeout', databaseError('57014')],
    ['a refusal', new AppError('erased_content', 'refused')],
  ])('is repeated one by one after %s, and each gets its own error', async (_, error) => {
    const { runs, items, answers } = await runTogether()
    runs[2]?.fail(error)
    await settled()
    expect(items().slice(3)).toEqual([[3], [4]])
    runs[3]?.fail(new Error('of three'))
    runs[4]?.end()
    await expect(answers[2]).rejects.toThrow('of three')
    expect(await answers[3]).toBe('4 alone')
  })

  it.each([
    ['a lost connection', new Error('Connection terminated unexpectedly')],
    ['a server that shuts down', databaseError('57P01')],
    ['a full disk', databaseError('53100')],
  ])('is not repeated after %s, because it may be stored or cannot be', async (_, error) => {
    const { runs, answers } = await runTogether()
    runs[2]?.fail(error)
    await expect(answers[2]).rejects.toBe(error)
    await expect(answers[3]).rejects.toBe(error)
    expect(runs).toHaveLength(3)
  })

  it('gives each request the position of its commit, and the next run none of it', async () => {
    const position = { timeline: 1, lsn: 7n }
    const add = createSharedTransactions<number, string>({
      begin,
      runAlone: async () => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        return 'alone'
      },
      runTogether: async (items) => {
        Object.assign(getWriting() ?? {}, { hasCommitted: true, position })
        return items.map(String)
      },
    })
    const writings: Writing[] = [1, 2, 3, 4].map(() => ({ hasCommitted: false }))
    const answers = writings.map((writing, index) => runWriting(writing, () => add(index)))
    await vi.advanceTimersByTimeAsync(5)
    await Promise.all(answers)
    expect(writings.map((each) => each.position)).toEqual([undefined, undefined, position, position])
    expect(writings.map((each) => each.hasCommitted)).toEqual([false, false, true, true])
  })
})
