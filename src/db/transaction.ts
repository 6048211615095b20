import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction as KyselyTransaction } from 'kysely'
import { type Caller, describeVia, type Via } from '../domain/trust/caller.ts'
import { drawJitter } from '../kernel/jitter.ts'
import type { Database } from './connection.ts'
import { isRetryable } from './failures.ts'
import type { DB } from './schema.ts'
import { beginWithFirst } from './statements/deferred-statements.ts'

export type Transaction = KyselyTransaction<DB>

/** Who calls, the transaction to join when the use case is part of a larger one, and the versions that If-Match allows. */
export type CallContext = {
  caller: Caller
  tx?: Transaction
  expectedVersions?: readonly number[] | undefined
  now?: Date
}

/**
 * Whether the selects at the beginning change nothing outside of the transaction. The first one is then sent together
 * with `begin`.
 */
type ReadsFirst = { readsFirst?: boolean }

const attempts = 4

/** The caller for whom a transaction runs; null for a job. The first caller stays when another one joins. */
const viaByTransaction = new WeakMap<object, Via | null>()

/** The key to write into log entries of this transaction. It is not a parameter, so that no caller can choose it. */
export function getVia(tx: Database): Via | null {
  return viaByTransaction.get(tx) ?? null
}

/** For a transaction that several callers share: what is written next is written by this one. */
export function actFor(tx: Transaction, caller: Caller): void {
  viaByTransaction.set(tx, describeVia(caller))
}

/**
 * Runs `work` in the transaction of the call, or in a new one. Only a new one is retried after a serialization
 * failure or a deadlock: a joined one has failed as a whole, and its owner decides.
 */
export async function transact<T>(
  db: Database,
  { readsFirst = false, ...call }: Partial<Pick<CallContext, 'caller' | 'tx'>> & ReadsFirst,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const { caller } = call
  const begin = (tx: Transaction) => {
    if (caller && !viaByTransaction.has(tx)) viaByTransaction.set(tx, describeVia(caller))
    return work(tx)
  }
  if (call.tx) return begin(call.tx)
  for (let attempt = 1; ; attempt++) {
    try {
      return await (readsFirst ? beginWithFirst(db, begin) : db.transaction().execute(begin))
    } catch (error) {
      if (attempt === attempts || !isRetryable(error)) throw error
      // Jitter, so that two transactions that collided do not collide again.
      await sleep(2 ** attempt * 5 + 20 * drawJitter())
    }
  }
}

/** Runs `work` in a new transaction, rolls it back, and returns the result: a dry run. */
export async function transactAndRollBack<T>(
  db: Database,
  call: Partial<Pick<CallContext, 'caller'>>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const rollback = new Error('the transaction of a dry run is rolled back')
  let done: { result: T } | undefined
  try {
    return await transact(db, call, async (tx) => {
      done = { result: await work(tx) }
      throw rollback
    })
  } catch (error) {
    if (error !== rollback || !done) throw error
    return done.result
  }
}
