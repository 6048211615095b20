import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { Transaction } from '../db/transaction.ts'
import { type Finding, maxNamed } from './law.ts'

/**
 * `each` selects a name and whether the law holds, for every row that the law concerns; null counts as broken. Only
 * the names of broken rows are built.
 */
export async function findBreaches(db: Database, each: RawBuilder<unknown>): Promise<Finding> {
  const { rows } = await sql<Finding>`
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:${sql.lit(maxNamed)}], '{}')::text[] as named
    from (${each}) as each (name, holds)
  `.execute(db)
  return rows[0] ?? { checked: 0, broken: 0, named: [] }
}

/** Settings for one transaction: whole tables are sorted and joined here, on one core. */
export async function prepareForWholeTables(tx: Transaction): Promise<void> {
  await sql`
    select set_config('work_mem', '64MB', true), set_config('max_parallel_workers_per_gather', '0', true)
  `.execute(tx)
}
