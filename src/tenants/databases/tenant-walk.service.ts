import type { Database } from '../../db/connection.ts'
import { listTenants, type TenantRow } from '../tenants.queries.ts'
import type { TenantDatabases } from './tenant-databases.service.ts'
import { inspectServer } from './tenant-servers.queries.ts'

const pageSize = 500

/** Yields every tenant in the order of the ids. */
export async function* walkTenants(db: Database): AsyncGenerator<TenantRow> {
  for (let after: string | undefined; ; ) {
    const rows = await listTenants(db, { after, limit: pageSize })
    yield* rows
    if (rows.length < pageSize) return
    after = rows.at(-1)?.id
  }
}

/** Yields the data of every tenant; without a database when its server cannot be used. */
export async function* listStoresOfTenants({ db, databases }: { db: Database; databases: TenantDatabases }) {
  for await (const row of walkTenants(db))
    if (row.status === 'active' || row.status === 'suspended')
      yield { id: row.id, db: await openIfReached(row, databases) }
}

async function openIfReached(row: TenantRow, databases: TenantDatabases): Promise<Database | undefined> {
  try {
    const db = databases.open(row)
    if (row.server_url !== null) await inspectServer(db)
    return db
  } catch {
    return undefined
  }
}
