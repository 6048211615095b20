import type { Database } from '../../db/connection.ts'
import { translateFailure } from '../../db/failures.ts'
import { listPendingMigrations, newestMigration } from '../../db/migrator.ts'
import { runApart } from '../../db/request-scope.ts'
import { nameSchema } from '../../db/schema-names.ts'
import { liftStatementTimeout } from '../../db/tenant-schemas.ts'
import { type CallContext, type Transaction, transact } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError, createFaultError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { TenantDatabases } from '../databases/tenant-databases.service.ts'
import { hasSchema } from '../databases/tenant-servers.queries.ts'
import { presentTenant } from '../tenant-answer.service.ts'
import { requireTenant } from '../tenant-errors.ts'
import {
  countRows,
  findTenant,
  listTables,
  lockTenant,
  type ServerColumns,
  setServer,
  type TenantRow,
} from '../tenants.queries.ts'
import type { Tenant, TenantMove } from '../tenants.schemas.ts'
import { notMigrated } from './tenant-creation.service.ts'
import { createEventLog } from './tenant-events.service.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  databases: TenantDatabases
}
type Prepared = { from: TenantRow; to: ServerColumns & { migration: string } }

const onMainServer: ServerColumns = {
  server_url: null,
  server_host: null,
  server_port: null,
  server_database: null,
  server_identity: null,
}

/** Says where the data of a tenant are from now on. They were copied by the tools of PostgreSQL before. */
export function createTenantMove({ db, clock, ids, databases }: Resources) {
  const logEvent = createEventLog({ clock, ids })

  /** Looks at the other database, and compares it with the one that the tenant leaves. */
  async function prepare(id: string, { database_url: url, abandon = false }: TenantMove): Promise<Prepared> {
    const from = requireTenant(await findTenant(db, id))
    const server = url === null ? undefined : await databases.inspect(url)
    const columns = server ? databases.describe(server, from.reference) : onMainServer
    return runApart(async () => {
      const there = databases.open({ ...from, ...columns })
      if (!(await hasSchema(there, nameSchema(from.reference)))) throw createMissingSchemaError(from)
      const isSame = columns.server_identity === from.server_identity
      if (!isSame) {
        requireSuspended(from)
        if (!abandon) await requireEqual(databases.open(from), there)
      }
      const isCurrent = (await listPendingMigrations(there)).length === 0
      return { from, to: { ...columns, migration: isCurrent ? newestMigration : notMigrated } }
    })
  }

  /** Rows that were written after the copy would be lost without notice. */
  async function requireEqual(here: Database, there: Database): Promise<void> {
    const left = await transact(here, {}, countEachTable).catch(explainUncounted)
    const copied = await transact(there, {}, countEachTable)
    const differing = [...left].filter(([table, rows]) => copied.get(table) !== rows)
    if (differing.length === 0) return
    throw new AppError('tenant_copy_differs', 'The copy does not have all rows of the tenant.', {
      extra: {
        differences: Object.fromEntries(
          differing.map(([table, rows]) => [table, { here: rows, there: copied.get(table) ?? null }]),
        ),
      },
    })
  }

  async function finish(call: CallContext, { from, to }: Prepared, why: TenantMove): Promise<Tenant> {
    return transact(db, call, async (tx) => {
      const row = requireTenant(await lockTenant(tx, from.id))
      const isSame = to.server_identity === from.server_identity
      // Another request has changed it since.
      if (row.server_url !== from.server_url || row.reference !== from.reference)
        throw new AppError('request_in_progress', 'Another request moves this tenant.', {
          retryAfterSeconds: 1,
        })
      if (!isSame) requireSuspended(row)
      await setServer(tx, row.id, to)
      const { actor, rationale } = why
      await logEvent(tx, row, { action: 'move', actor, rationale })
      return presentTenant({ ...row, ...to })
    })
  }

  return { prepare, finish }
}

/** The number of rows of each table. */
async function countEachTable(tx: Transaction): Promise<Map<string, number>> {
  await liftStatementTimeout(tx)
  const counts = new Map<string, number>()
  for (const table of await listTables(tx)) counts.set(table, await countRows(tx, table))
  return counts
}

/** Says what to do if the database is lost. */
function explainUncounted(failure: unknown): never {
  const error = translateFailure(failure)
  if (!(error instanceof AppError) || error.kind !== 'unavailable') throw failure
  throw new AppError(
    error.code,
    `The copy could not be compared with the database that the tenant leaves: ${error.message} Repeat the request later, or with abandon=true if that database is lost.`,
    { retryAfterSeconds: error.retryAfterSeconds ?? 5, cause: error },
  )
}

function requireSuspended({ status }: TenantRow): void {
  if (status === 'suspended') return
  throw new AppError('tenant_not_suspended', 'Suspend the tenant, copy its schema, and then move it.')
}

function createMissingSchemaError({ reference }: TenantRow): AppError {
  return createFaultError('The data of the tenant are not there.', {
    pointer: '/database_url',
    message: `has no schema ${nameSchema(reference)}; copy it there first`,
  })
}
