import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

export async function saveBatch(tx: Transaction): Promise<void> {
  await sql`savepoint rehearsed_batch`.execute(tx)
}

export async function releaseBatch(tx: Transaction): Promise<void> {
  await sql`release savepoint rehearsed_batch`.execute(tx)
}

export async function rollBackBatch(tx: Transaction): Promise<void> {
  await sql`rollback to savepoint rehearsed_batch`.execute(tx)
}
