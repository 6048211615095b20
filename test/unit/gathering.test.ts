import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGathering, type Guard } from '../../src/db/gathering.ts'
import { getWriting, runWriting, type Writing } from '../../src/db/request-scope.ts'
import type { Transaction } from '../../src/db/transaction.ts'
import { AppError } from '../../src/kernel/errors.ts'

type Run = { items: number[]; end(outcomes?: (string | undefined)[]): void; fail(error: unknown): void }

/** A gathering of numbers whose runs end when the test says so. */
function createControlled(fits?: (items: readonly number[], next: number) => boolean) {
  const runs: Run[] = []
  const start = <R>(items: readonly number[], present: (outcomes: (string | undefined)[]) => R) =>
    new Promise<R>((resolve, reject) => {
      const usual = items.map(String)
      runs.push({ items: [...items], end: (outcomes = usual) => resolve(present(outcomes)), fail: reject })
    })
  const gather = createGathering<number, string>({
    begin,
    alone: (item) => start([item], ([outcome]) => `${outcome} alone`),
    together: (items) => start(items, (outcomes) => outcomes),
    ...(fits ? { fits } : {}),
  })
  const add = (item: number) => gather(item)
  return { add, gather, runs, items: () => runs.map((run) => run.items) }
}

/** A transaction that keeps nothing: what is written in it is tested on a database. */
const begin = <T>(work: (tx: Transaction) => Promise<T>) => work({} as Transaction)

/** Guards that admit all but some numbers, and what was kept for the others. */
function createGuards(refused: readonly number[]) {
  const kept: object[] = []
  const keeper: Guard['keeper'] = {
    admit: async (_, guards) =>
      guards.map((guard) => (refused.includes(Reflect.get(guard, 'of')) ? new Error('refused') : undefined)),
    keep: async (_, settled) => void kept.push(...settled),
  }
  const guardOf = (of: number) => ({ of, keeper, settle: (outcome: string) => ({ of, outcome }) })
  return { kept, guardOf }
}

const settled = () => vi.advanceTimersByTimeAsync(0)

function databaseError(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code })
}

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

  it('start beside a run when there are as many as in that run, or when it ends', async () => {
    const { add, runs, items } = createControlled()
    for (const item of [1, 2, 3, 4, 5]) void add(item)
    for (const at of [0, 1]) runs[at]?.end()
    await settled()
    for (const item of [6, 7]) void add(item)
    expect(items()).toEqual([[1], [2], [3, 4, 5]])
    void add(8)
    expect(items().slice(3)).toEqual([[6, 7, 8]])
    for (const item of [9, 10]) void add(item)
    runs[2]?.end()
    await settled()
    expect(items()).toHaveLength(4)
    runs[3]?.end()
    await settled()
    expect(items().slice(4)).toEqual([[9, 10]])
  })

  it('start beside a run of more after a fiftieth of a second', async () => {
    const { add, runs, items } = createControlled()
    for (const item of [1, 2, 3, 4]) void add(item)
    for (const at of [0, 1]) runs[at]?.end()
    await settled()
    void add(5)
    await vi.advanceTimersByTimeAsync(19)
    expect(items()).toEqual([[1], [2], [3, 4]])
    await vi.advanceTimersByTimeAsync(1)
    expect(items().slice(3)).toEqual([[5]])
    for (const item of [6, 7]) void add(item)
    runs[3]?.end()
    await settled()
    expect(items().slice(4)).toEqual([[6, 7]])
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
    const add = createGathering<number, string>({
      begin,
      alone: async () => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        return 'alone'
      },
      together: async (items) => {
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

describe('a guard', () => {
  it('keeps the outcome of each request that it admits, among requests without one', async () => {
    const { gather, runs, items } = createControlled()
    const { kept, guardOf } = createGuards([4, 6])
    const answers = [1, 2, 3, 4, 5, 6].map((item) => gather(item, item === 3 ? undefined : guardOf(item)))
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
    const { gather, runs, items } = createControlled()
    const { kept, guardOf } = createGuards([1, 4])
    const answers = [1, 2, 3, 4].map((item) => gather(item, guardOf(item)))
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
    const { gather, runs, items } = createControlled()
    const { kept, guardOf } = createGuards([])
    const answers = [1, 2, 3, 4, 5].map((item) => gather(item, guardOf(item)))
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
    const { gather, runs } = createControlled()
    const { kept, guardOf } = createGuards([])
    const answer = gather(1, { ...guardOf(1), settle: () => undefined })
    await settled()
    runs[0]?.end()
    expect(await answer).toBe('1 alone')
    expect(kept).toEqual([])
  })
})
