import type { Transaction } from '../db/transaction.ts'

/** Any constant that no other advisory lock of the product uses. */
const schedulesLock = 7_350_003

/** Held until the transaction ends; false when another process has it. */
export async function tryOwnSchedules(tx: Transaction): Promise<boolean> {
  const { owned } = await tx
    .selectNoFrom(({ fn, val }) => fn<boolean>('pg_try_advisory_xact_lock', [val(schedulesLock)]).as('owned'))
    .executeTakeFirstOrThrow()
  return owned
}
