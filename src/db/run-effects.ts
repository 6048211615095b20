import { sql } from 'kysely'
import { sendWithNext } from './statements/deferred-statements.ts'
import type { Transaction } from './transaction.ts'

/** Makes triggers write down each row that this transaction writes, until it ends (migration 0038). */
export async function saveEffects(
  tx: Transaction,
  { id, dryRun }: { id: string; dryRun: boolean },
): Promise<void> {
  await sql`
    select set_config('membrane.effects', ${id}, true), set_config('membrane.rehearsal', ${dryRun ? id : ''}, true)
  `.execute(tx)
}

/** For rows that are logged with their run anyway, or whose change means nothing: writing each down would double the work. */
export async function stopSavingEffects(tx: Transaction): Promise<void> {
  await sql`select set_config('membrane.effects', '', true), set_config('membrane.rehearsal', '', true)`.execute(
    tx,
  )
}

/**
 * Runs statements that keep the rows they write themselves, for the run `id` if it keeps any. The triggers keep the rows of some
 * tables one by one, which takes three times as long.
 */
export async function saveEffectsByStatement<T>(
  tx: Transaction,
  id: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (id === undefined) return work()
  await stopSavingEffects(tx)
  const result = await work()
  await saveEffects(tx, { id, dryRun: false })
  return result
}

/**
 * Runs `work` as one revision of this id: what it logs names the revision, and the rows that it writes are kept. A revision
 * that a run makes belongs to the rows of the run.
 */
export async function asOperation<T>(tx: Transaction, id: string, work: () => Promise<T>): Promise<T> {
  await beginOperation(tx, id)
  operationByTransaction.set(tx, id)
  const result = await work()
  operationByTransaction.delete(tx)
  await endOperation(tx, id)
  return result
}

const operationByTransaction = new WeakMap<object, string>()

/** The revision that the transaction makes at the moment, which the database writes into log entries. */
export function getOperation(tx: Transaction): string | null {
  return operationByTransaction.get(tx) ?? null
}

export async function beginOperation(tx: Transaction, id: string): Promise<void> {
  const statement = sql`
    select set_config('membrane.operation', ${id}, true),
      set_config('membrane.effects', coalesce(nullif(current_setting('membrane.effects', true), ''), ${id}), true)
  `
  await sendWithNext(() => statement.execute(tx))
}

export async function endOperation(tx: Transaction, id: string): Promise<void> {
  const statement = sql`
    select set_config('membrane.operation', '', true),
      set_config('membrane.effects', coalesce(nullif(current_setting('membrane.effects', true), ${id}), ''), true)
  `
  await sendWithNext(() => statement.execute(tx))
}
