import { sql } from 'kysely'
import type { Database } from './connection.ts'

export type Tallies = Readonly<Record<string, number>>

/**
 * Counts for good what a transaction does: what is rolled back is not counted, what is run again is counted once. Each
 * connection has rows of its own, so that no transaction waits for another over a number; who reads adds them up.
 */
export async function addTallies(tx: Database, tallies: Tallies): Promise<void> {
  const [names, values] = [Object.keys(tallies), Object.values(tallies)]
  if (names.length === 0) return
  await sql`
    insert into tallies (name, backend, value)
    select name, pg_backend_pid(), value from unnest(${names}::text[], ${values}::float8[]) as counted (name, value)
    on conflict (name, backend) do update set value = tallies.value + excluded.value
  `.execute(tx)
}
