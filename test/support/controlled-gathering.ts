import pg from 'pg'
import { vi } from 'vitest'
import { createGathering } from '../../src/db/gathering.ts'
import type { Transaction } from '../../src/db/transaction.ts'

type Run = { items: number[]; end(outcomes?: (string | undefined)[]): void; fail(error: unknown): void }

/** A gathering of numbers whose runs end when the test says so. */
export function createControlled(fits?: (items: readonly number[], next: number) => boolean) {
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
  /** Ends the runs of the first two, which ran alone. */
  const endOnes = async () => {
    for (const at of [0, 1]) runs[at]?.end()
    await settled()
  }
  return { add, endOnes, gather, runs, items: () => runs.map((run) => run.items) }
}

/** A transaction that keeps nothing: what is written in it is tested on a database. */
export const begin = <T>(work: (tx: Transaction) => Promise<T>) => work({} as Transaction)

export const settled = () => vi.advanceTimersByTimeAsync(0)

export function databaseError(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code })
}
