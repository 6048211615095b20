import { sql } from 'kysely'
import { lockHandle } from '../db/fragments/lock-keys.ts'
import type { Transaction } from '../db/transaction.ts'

/**
 * Locks handles until the transaction ends, so that no other transaction stores a record with one of them in that scope.
 * Captures take the same locks in the same order, so a capture of the same content waits instead of deadlocking.
 */
export async function lockHandles(
  tx: Transaction,
  handles: readonly { digest: Buffer; scope: string }[],
): Promise<void> {
  await sql`
    select ${lockHandle}
    from (
      select distinct digest, scope
      from unnest(
        ${handles.map(({ digest }) => digest)}::bytea[], ${handles.map(({ scope }) => scope)}::text[]
      ) as handle (digest, scope)
      order by digest, scope
    ) as ordered
  `.execute(tx)
}
