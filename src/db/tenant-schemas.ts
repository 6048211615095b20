import { sql } from 'kysely'
import { homeSchema } from './schema-names.ts'
import { visitStatement } from './tenant-sessions.ts'
import type { Transaction } from './transaction.ts'

export async function createSchema(tx: Transaction, schema: string): Promise<void> {
  await sql.raw(`create schema "${schema}"`).execute(tx)
}

/** Removes the schema with everything in it. It waits for the transactions that use it. */
export async function dropSchema(tx: Transaction, schema: string): Promise<void> {
  await sql.raw(`drop schema if exists "${schema}" cascade`).execute(tx)
}

/** Runs `work` in another schema, and continues in the one that belongs to no tenant. */
export async function runInSchema<T>(tx: Transaction, schema: string, work: () => Promise<T>): Promise<T> {
  await sql.raw(visitStatement(schema)).execute(tx)
  const result = await work()
  await sql.raw(visitStatement(homeSchema)).execute(tx)
  return result
}

/** For work on a whole schema: in a large one a statement takes longer than one of a request may. */
export async function liftStatementTimeout(tx: Transaction): Promise<void> {
  await sql.raw('set local statement_timeout = 0').execute(tx)
}
