import type { Connection, Database } from '../db/connection.ts'
import { schemaOf } from '../db/schema-names.ts'
import { listTenants, type TenantRow } from './tenants.queries.ts'

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

/** Yields the data of every tenant. */
export async function* listStoresOfTenants({ db, databaseOf }: Pick<Connection, 'db' | 'databaseOf'>) {
  for await (const { id, status, reference } of walkTenants(db))
    if (status !== 'dropping') yield { id, db: databaseOf(schemaOf(reference)) }
}
