import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { clusterId, databaseId } from '../../db/positions/server-identity.ts'
import type { Transaction } from '../../db/transaction.ts'

export type InspectedServer = {
  version: number
  is_standby: boolean
  may_create: boolean
  /** Tells this database from all others. */
  identity: string
}

/** The properties that decide whether a database can have tenants. */
export async function inspectServer(db: Database): Promise<InspectedServer> {
  const { rows } = await sql<InspectedServer>`
    select current_setting('server_version_num')::integer as version, pg_is_in_recovery() as is_standby,
      has_database_privilege(current_database(), 'create') as may_create,
      ${sql.raw(clusterId)} || '/' ||
        ${sql.raw(databaseId)} as identity
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

/** Until the transaction ends, no other process migrates its schema. */
export async function lockMigrations(tx: Transaction): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('migrations ' || current_schema(), 0))
  `.execute(tx)
}

export async function hasCitus(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('pg_catalog.pg_dist_local_group') is not null as exists
  `.execute(tx)
  return rows[0]?.exists ?? false
}

/** Only where there is Citus. A server without other nodes is in group 0, as a coordinator is; `citus_is_coordinator` denies it. */
export async function isWorker(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ is_worker: boolean }>`
    select groupid <> 0 as is_worker from pg_dist_local_group
  `.execute(tx)
  return rows[0]?.is_worker ?? false
}

/**
 * Drops the schema on all nodes, from a worker. The session of the coordinator has timeouts of its own, so it is given the one
 * for locks, and passes it on to the nodes. Returns why it failed: that is no error here.
 */
export async function dropOnCoordinator(tx: Transaction, schema: string): Promise<string | undefined> {
  const { rows } = await sql<{ success: boolean; result: string }>`
    select success, result from run_command_on_coordinator(format(
      'do $do$ begin set local citus.propagate_set_commands = local; set local lock_timeout = %L; drop schema if exists %I cascade; end $do$',
      current_setting('lock_timeout'), ${schema}::text
    ))
  `.execute(tx)
  const [row] = rows
  return row?.success ? undefined : (row?.result ?? 'no answer')
}
