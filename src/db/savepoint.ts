import { sql } from 'kysely'
import type { Transaction } from './transaction.ts'

/**
 * Savepoints that may be within each other have different names: a savepoint still exists after a rollback to it, and
 * would hide an outer one of the same name.
 */
type SavepointName = 'part' | 'before_effects' | 'dry_run_batch'

/** Starts a part of the transaction that can fail without the rest. */
export async function createSavepoint(tx: Transaction, name: SavepointName): Promise<void> {
  await sql`savepoint ${sql.raw(name)}`.execute(tx)
}

export async function releaseSavepoint(tx: Transaction, name: SavepointName): Promise<void> {
  await sql`release savepoint ${sql.raw(name)}`.execute(tx)
}

export async function rollbackToSavepoint(tx: Transaction, name: SavepointName): Promise<void> {
  await sql`rollback to savepoint ${sql.raw(name)}`.execute(tx)
}
