import pg from 'pg'
import { vi } from 'vitest'
import { createSharedTransactions } from '../../../src/db/shared-transactions.ts'
import type { Transaction } from '../../../src/db/transaction.ts'

type Run = { items: number[]; end(outcomes?: (string | undefined)[]): void; fail(error: unknown): void }

/** Shared transactions of numbers whose runs end when the test says so. */
export function createControlled(canJoin?: (items: readonly number[], next: number) => boolean) {
  const runs: Run[] = []
  const start = <R>(items: readonly number[], present: (outcomes: (string | undefined)[]) => R) =>
    new Promise<R>((resolve, reject) => {
      const usual = items.map(String)
      runs.push({ items: [...items], end: (outcomes = usual) => resolve(present(outcomes)), fail: reject })
    })
  const share = createSharedTransactions<number, string>({
    begin,
    runAlone: (item) => start([item], ([outcome]) => `${outcome} alone`),
    runTogether: (items) => start(items, (outcomes) => outcomes),
    ...(canJoin ? { canJoin } : {}),
  })
  const add = (item: number) => share(item)
  /** Ends the runs of the first two, which ran alone. */
  const endOnes = async () => {
    for (const at of [0, 1]) runs[at]?.end()
    await settled()
  }
  return { add, endOnes, share, runs, items: () => runs.map((run) => run.items) }
}

/** A transaction that keeps nothing: what is written in it is tested on a database. */
export const begin = <T>(work: (tx: Transaction) => Promise<T>) => work({} as Transaction)

export const settled = () => vi.advanceTimersByTimeAsync(0)

export function databaseError(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code })
}
