import type { Database } from '../../db/connection.ts'
import { isLockTimeout, isRetryable, isSchemaGone, translateFailure } from '../../db/failures.ts'
import { runApart } from '../../db/request-scope.ts'
import { createSavepoint, rollbackToSavepoint } from '../../db/savepoint.ts'
import { nameSchema } from '../../db/schema-names.ts'
import { dropSchema, liftStatementTimeout, runInSchema } from '../../db/tenant-schemas.ts'
import { type CallContext, type Transaction, transact } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError, createFaultError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { TenantDatabases } from '../databases/tenant-databases.service.ts'
import { dropOnCoordinator, hasCitus, hasSchema, isWorker } from '../databases/tenant-servers.queries.ts'
import { presentTenant } from '../tenant-answer.service.ts'
import type { TenantDirectory } from '../tenant-directory.service.ts'
import { createTenantNotFoundError } from '../tenant-errors.ts'
import {
  countContents,
  deleteTenant,
  findTenant,
  lockTenant,
  type Removed,
  setRemoved,
  setStatus,
  type TenantRow,
} from '../tenants.queries.ts'
import type { DropQuery, TenantReceipt } from '../tenants.schemas.ts'
import { createEventLog } from './tenant-events.service.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  directory: TenantDirectory
  databases: TenantDatabases
}

/** Removes tenants, with everything they have. */
export function createTenantDrop({ db, clock, ids, directory, databases }: Resources) {
  const logEvent = createEventLog({ clock, ids })

  /**
   * Refuses the keys of the tenant and stops its jobs. This is a transaction of its own: otherwise a request that comes after the
   * drop began would wait for it, and hold a connection that other tenants need. On another server it then counts what the tenant
   * has, because after a crash between the two transactions of the drop nothing is left to be counted.
   */
  async function begin(id: string, { abandon }: DropQuery): Promise<TenantRow> {
    const row = await transact(db, {}, async (tx) => {
      const locked = await lockTenant(tx, id)
      if (!locked) throw createTenantNotFoundError()
      await setStatus(tx, id, 'dropping')
      return locked
    })
    directory.clear()
    if (row.server_url === null || abandon) return row
    const removed = await runApart(() => countOnServer(row)).catch((failure) => explainLeft(row, failure))
    if (removed) await transact(db, {}, (tx) => setRemoved(tx, id, JSON.stringify(removed)))
    return row
  }

  /** Undefined when there is no such schema, or no table in it. */
  async function countOnServer(row: TenantRow): Promise<Removed | undefined> {
    const own = databases.open(row)
    if (!(await hasSchema(own, nameSchema(row.reference)))) return undefined
    return transact(own, {}, async (tx) => {
      await liftStatementTimeout(tx)
      return countContents(tx)
    }).catch(ignoreGone)
  }

  async function removeHere(tx: Transaction, schema: string): Promise<Record<string, number>> {
    await liftStatementTimeout(tx)
    const counted = await runInSchema(tx, schema, () => countIfComplete(tx))
    await dropSchema(tx, schema)
    return counted ?? {}
  }

  /** Undefined when tables are missing, as after the schema was dropped by hand: the tenant must go all the same. */
  async function countIfComplete(tx: Transaction): Promise<Removed | undefined> {
    await createSavepoint(tx, 'part')
    try {
      return await countContents(tx)
    } catch (failure) {
      ignoreGone(failure)
      await rollbackToSavepoint(tx, 'part')
      return undefined
    }
  }

  async function removeThere(row: TenantRow, schema: string): Promise<Record<string, number>> {
    await runApart(() => transact(databases.open(row), {}, (own) => dropThere(own, schema)))
    return asCounts(row.removed)
  }

  /** Removes a tenant whose drop has begun. After a crash in between, the same request finishes it. */
  async function finish(call: CallContext, begun: TenantRow, query: DropQuery): Promise<TenantReceipt> {
    const { abandon = false, ...why } = query
    const { id } = begun
    return transact(db, call, async (tx) => {
      const row = await lockTenant(tx, id)
      // Another request may have finished the drop, and a third one have created a tenant of the same id.
      if (row?.reference !== begun.reference) throw createTenantNotFoundError()
      const schema = nameSchema(row.reference)
      const remove = () => (row.server_url === null ? removeHere(tx, schema) : removeThere(row, schema))
      const removed = abandon ? {} : await remove().catch((failure) => explainLeft(row, failure))
      await deleteTenant(tx, id)
      await logEvent(tx, row, { action: 'drop', ...why, removed: JSON.stringify(removed) })
      const { database } = presentTenant(row)
      return {
        id,
        actor: why.actor,
        dropped_at: clock.now().toISOString(),
        removed,
        ...(abandon && database ? { left: { ...database, schema } } : {}),
      }
    })
  }

  /** Only what is on another server can be left there. */
  async function requireAbandonable(id: string): Promise<void> {
    const row = await findTenant(db, id)
    if (!row) throw createTenantNotFoundError()
    if (row.server_url !== null) return
    throw createFaultError('The data of this tenant are in the main database.', {
      pointer: '?abandon',
      message: 'needs a tenant on a server of its own',
    })
  }

  return {
    begin: async (id: string, query: DropQuery): Promise<TenantRow> => {
      if (query.abandon) await requireAbandonable(id)
      return begin(id, query)
    },
    finish,
  }
}

function asCounts(removed: TenantRow['removed']): Record<string, number> {
  return (removed ?? {}) as Record<string, number>
}

/**
 * On a worker of Citus the coordinator is asked first, because it alone drops a distributed schema. Then only a schema on this node
 * is left. It may be gone already: dropped by hand, or by a request that crashed afterwards.
 */
async function dropThere(tx: Transaction, schema: string): Promise<void> {
  if (!(await hasSchema(tx, schema))) return
  if ((await hasCitus(tx)) && (await isWorker(tx))) {
    const failure = await dropOnCoordinator(tx, schema)
    if (failure !== undefined)
      throw new AppError(
        'database_unavailable',
        `The coordinator of Citus did not drop the schema. Run this statement there: drop schema "${schema}" cascade;`,
        { cause: new Error(failure) },
      )
  }
  await dropSchema(tx, schema)
}

/** Another drop of the same tenant was faster, or the tables were dropped by hand. */
function ignoreGone(failure: unknown): undefined {
  if (!isSchemaGone(failure)) throw failure
}

/** Says what stands when the data could not be removed. */
function explainLeft({ server_url }: TenantRow, failure: unknown): never {
  const error = translateFailure(failure)
  // A deadlock is tried again by the transaction.
  if (isRetryable(failure) || !(error instanceof AppError) || error.kind !== 'unavailable') throw failure
  const cause = isLockTimeout(failure) ? 'Other transactions still use them.' : error.message
  const place = server_url === null ? 'still stored' : 'still on its server'
  const abandoning = server_url === null ? '' : ', or with abandon=true if the server is lost'
  throw new AppError(
    error.code,
    `The tenant is refused everywhere from now on, and its data are ${place}: ${cause} Repeat the request later${abandoning}.`,
    { retryAfterSeconds: error.retryAfterSeconds ?? 5, cause: error },
  )
}
