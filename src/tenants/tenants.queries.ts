import { type Insertable, type Selectable, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { TenantEvents, Tenants } from '../db/schema.ts'
import type { Transaction } from '../db/transaction.ts'

export type TenantRow = Selectable<Tenants>

const columns = [
  'id',
  'reference',
  'status',
  'migration',
  'created_at',
  'removed',
  'server_url',
  'server_host',
  'server_port',
  'server_database',
  'server_identity',
] as const

export type ServerColumns = Pick<
  TenantRow,
  'server_url' | 'server_host' | 'server_port' | 'server_database' | 'server_identity'
>

export async function insertTenant(tx: Transaction, row: Insertable<Tenants>): Promise<void> {
  await tx.insertInto('tenants').values(row).execute()
}

export async function findTenant(db: Database, id: string): Promise<TenantRow | undefined> {
  return db.selectFrom('tenants').select(columns).where('id', '=', id).executeTakeFirst()
}

export async function findTenantByReference(db: Database, reference: string): Promise<TenantRow | undefined> {
  return db.selectFrom('tenants').select(columns).where('reference', '=', reference).executeTakeFirst()
}

/** Locked until the transaction ends: of two changes of one tenant, the second sees the first. */
export async function lockTenant(tx: Transaction, id: string): Promise<TenantRow | undefined> {
  return tx.selectFrom('tenants').select(columns).where('id', '=', id).forUpdate().executeTakeFirst()
}

/** In the order of the ids, after `after`. */
export async function listTenants(
  db: Database,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<TenantRow[]> {
  return db
    .selectFrom('tenants')
    .select(columns)
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The references of the tenants whose jobs must not run. */
export async function listStoppedTenants(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('tenants').select('reference').where('status', '<>', 'active').execute()
  return rows.map(({ reference }) => reference)
}

/** The tenants whose schema lacks migrations of this version. One that is being created or dropped may have none. */
export async function listOutdatedTenants(db: Database, newest: string): Promise<TenantRow[]> {
  return db
    .selectFrom('tenants')
    .select(columns)
    .where('migration', '<', newest)
    .where('status', 'in', ['active', 'suspended'])
    .orderBy('id')
    .execute()
}

export async function setMigration(tx: Transaction, id: string, migration: string): Promise<void> {
  await tx.updateTable('tenants').set({ migration }).where('id', '=', id).execute()
}

export async function setStatus(tx: Transaction, id: string, status: string): Promise<void> {
  await tx.updateTable('tenants').set({ status }).where('id', '=', id).execute()
}

/** The tenant was created on its server. */
export async function setCreated(tx: Transaction, id: string, migration: string): Promise<void> {
  await tx.updateTable('tenants').set({ status: 'active', migration }).where('id', '=', id).execute()
}

/** The data of the tenant are there from now on. */
export async function setServer(
  tx: Transaction,
  id: string,
  server: ServerColumns & { migration: string },
): Promise<void> {
  await tx.updateTable('tenants').set(server).where('id', '=', id).execute()
}

/** Kept until the row is deleted: after a crash the schema may be gone before an answer has said what it had. */
export async function setRemoved(tx: Transaction, id: string, removed: string): Promise<void> {
  await tx.updateTable('tenants').set({ removed }).where('id', '=', id).execute()
}

export async function deleteTenant(tx: Transaction, id: string): Promise<void> {
  await tx.deleteFrom('tenants').where('id', '=', id).execute()
}

export async function insertEvent(tx: Transaction, event: Insertable<TenantEvents>): Promise<void> {
  await tx.insertInto('tenant_events').values(event).execute()
}

export type Removed = {
  records: number
  relations: number
  audit_entries: number
  runs: number
  policies: number
  tombstones: number
  keys: number
}

/** Counts what a tenant has, in the schema of the transaction. */
export async function countContents(tx: Transaction): Promise<Removed> {
  const { rows } = await sql<Removed>`
    select (select count(*) from records) as records, (select count(*) from relations) as relations,
      (select count(*) from audit_entries) as audit_entries, (select count(*) from maintenance_runs) as runs,
      (select count(*) from lifecycle_policies) as policies, (select count(*) from tombstones) as tombstones,
      (select count(*) from api_keys) as keys
  `.execute(tx)
  const [counted] = rows
  if (!counted) throw new TypeError('a count without a row')
  return counted
}

/** The tables in the schema of the transaction. */
export async function listTables(tx: Transaction): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class as c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname
  `.execute(tx)
  return rows.map(({ name }) => name)
}

export async function countRows(tx: Transaction, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(tx)
  return rows[0]?.count ?? 0
}
