import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction as KyselyTransaction } from 'kysely'
import { type Caller, type Via, viaOf } from '../domain/caller.ts'
import type { Database } from './connection.ts'
import { isRetryable } from './failures.ts'
import type { DB } from './schema.ts'

export type Transaction = KyselyTransaction<DB>

/** Who asks, and the transaction the use case must join when it is part of a larger one. */
export type CallContext = { caller: Caller; tx?: Transaction; expectedVersion?: number }

const attempts = 4

/** Whose request a transaction serves; none for a job's. The first caller stays, whoever acts for it later. */
const viaByTransaction = new WeakMap<object, Via | null>()

/** The key behind what a transaction writes: what every log takes, so that no caller can choose it. */
export function getVia(tx: Database): Via | null {
  return viaByTransaction.get(tx) ?? null
}

/**
 * Runs `work` in the call's transaction, or in one of its own. Only its own is retried after a serialization
 * failure or a deadlock: a joined one is doomed as a whole, and whoever began it decides.
 */
export async function transact<T>(
  db: Database,
  call: Partial<Pick<CallContext, 'caller' | 'tx'>>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const { caller } = call
  const begin = (tx: Transaction) => {
    if (caller && !viaByTransaction.has(tx)) viaByTransaction.set(tx, viaOf(caller))
    return work(tx)
  }
  if (call.tx) return begin(call.tx)
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(begin)
    } catch (error) {
      if (attempt === attempts || !isRetryable(error)) throw error
      // Jitter, so that two transactions that met once do not meet again in step.
      await sleep(2 ** attempt * 5 + 20 * jitter())
    }
  }
}

/** Not a rule's randomness, only a pause's. */
function jitter(): number {
  return (performance.now() * 1_000) % 1
}
