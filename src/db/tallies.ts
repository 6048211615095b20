import { sql } from 'kysely'
import { sendWithNext } from './statements/deferred-statements.ts'
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

/**
 * Adds up the rows in which connections count, at most `limit`, and returns how many there were. Each connection leaves some. It
 * waits for no writer.
 */
export async function foldTallies(tx: Transaction, limit: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    with chosen as materialized (
      select name, backend from tallies where backend <> 0 limit ${limit} for update skip locked
    ), folded as (
      delete from tallies as t using chosen as c where (t.name, t.backend) = (c.name, c.backend) returning t.*
    ), added as (
      insert into tallies (name, backend, value) select name, 0, sum(value) from folded group by 1
      on conflict (name, backend) do update set value = tallies.value + excluded.value
    )
    select count(*)::int4 as folded from folded
  `.execute(tx)
  return rows[0]?.folded ?? 0
}
