import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { Transaction } from '../db/transaction.ts'

export type InspectedServer = {
  version: number
  is_standby: boolean
  may_create: boolean
  /** Tells this database from all others. */
  identity: string
}

/** What decides whether a database can have tenants. */
export async function inspectServer(db: Database): Promise<InspectedServer> {
  const { rows } = await sql<InspectedServer>`
    select current_setting('server_version_num')::integer as version, pg_is_in_recovery() as is_standby,
      has_database_privilege(current_database(), 'create') as may_create,
      (select system_identifier::text from pg_control_system()) || '/' ||
        (select oid::text from pg_database where datname = current_database()) as identity
  `.execute(db)
  const [row] = rows
  if (!row) throw new TypeError('a server that says nothing about itself')
  return row
}

export async function hasSchema(db: Database, schema: string): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select exists (select from pg_namespace where nspname = ${schema}) as exists
  `.execute(db)
  return rows[0]?.exists ?? false
}

/** Until the transaction ends, nobody else migrates the schema of the transaction. */
export async function lockMigrations(tx: Transaction): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('migrations ' || current_schema(), 0))
  `.execute(tx)
}
