import { sql } from 'kysely'
import { sendWithNext } from './deferral.ts'
import type { Transaction } from './transaction.ts'

export type Tallies = Readonly<Record<string, number>>

/**
 * Adds to permanent counters within the transaction: work that is rolled back is not counted, and work that is
 * retried is counted once. Each connection has its own rows, so that no transaction waits for another; a reader adds
 * them up.
 */
export async function addTallies(tx: Transaction, tallies: Tallies): Promise<void> {
  const names = Object.keys(tallies)
  const values = Object.values(tallies)
  if (names.length === 0) return
  const statement = sql`
    insert into tallies (name, backend, value)
    select name, pg_backend_pid(), value from unnest(${names}::text[], ${values}::float8[]) as counted (name, value)
    on conflict (name, backend) do update set value = tallies.value + excluded.value
  `
  await sendWithNext(() => statement.execute(tx))
}
