import Type from 'typebox'
import type { Database } from '../db/connection.ts'
import { type CallContext, transact } from '../db/transaction.ts'
import type { ListPage } from '../domain/schemas/shapes.ts'
import { type Caller, presentScope, unscoped } from '../domain/trust/caller.ts'
import { requireFullTrust, requireWholeScope } from '../domain/trust/trust.ts'
import { readPage } from '../http/paging/paging.ts'
import { AppError, createFaultError } from '../kernel/errors.ts'
import { omitNulls } from '../kernel/omit-nulls.ts'
import {
  type BudgetRow,
  deleteBudget,
  findBudget,
  findLargestProtected,
  listBudgets,
  lockBudget,
  type ProtectedSize,
  upsertBudget,
} from './budgets.queries.ts'
import type { Budget, BudgetChoice, BudgetsQuery } from './budgets.schemas.ts'

export type BudgetsService = ReturnType<typeof createBudgetsService>

const Cursor = Type.Object({ scope: Type.String({ maxLength: 256 }) })

/** A scope is named by its name. Undefined names the default. */
export function createBudgetsService({ db }: { db: Database }) {
  async function list(caller: Caller, { limit = 50, cursor }: BudgetsQuery): Promise<ListPage<Budget>> {
    const { items, ...next } = await readPage({
      caller,
      list: { list: 'budgets' },
      limit,
      cursor,
      position: Cursor,
      read: (after, most) => listBudgets(db, { trust: caller.trust, after: after?.scope, limit: most }),
    })
    return { items: items.map(present), ...next }
  }

  async function read(caller: Caller, scope: string): Promise<Budget> {
    const row = await findBudget(db, { trust: caller.trust, scope })
    if (!row) throw createNotFound()
    return present(row)
  }

  async function replace(call: CallContext, choice: BudgetChoice, scope?: string): Promise<Budget> {
    requireTrust(call.caller, scope)
    requireOneMeasure(choice)
    const row = {
      scope: scope ?? unscoped,
      mode: choice.mode ?? 'soft',
      protect: choice.protect ?? [],
      max_records: choice.max_records ?? null,
      max_bytes: choice.max_bytes ?? null,
    }
    return transact(db, call, async (tx) => {
      if (scope !== undefined) await lockBudget(tx, scope)
      await upsertBudget(tx, row)
      const largest = await findLargestProtected(tx, row)
      if (largest) requireRoom(row, largest)
      return present(row)
    })
  }

  async function remove(call: CallContext, scope?: string): Promise<void> {
    requireTrust(call.caller, scope)
    const isDeleted = await transact(db, call, async (tx) => {
      if (scope !== undefined) await lockBudget(tx, scope)
      return deleteBudget(tx, scope ?? unscoped)
    })
    if (!isDeleted) throw createNotFound()
  }

  return { list, read, replace, remove }
}

/** A budget forgets records that the caller may not see, so a key that sees only some of a scope must not set it. */
function requireTrust(caller: Caller, scope: string | undefined): void {
  if (scope === undefined) requireFullTrust(caller)
  else requireWholeScope(caller, scope)
}

function requireOneMeasure({ max_records: records, max_bytes: bytes }: BudgetChoice): void {
  if ((records === undefined) !== (bytes === undefined)) return
  const message = 'exactly one of max_records and max_bytes is required'
  throw createFaultError(`A budget has one measure: ${message}.`, {
    pointer: records === undefined ? '' : '/max_bytes',
    message,
  })
}

function requireRoom({ scope, max_records, max_bytes }: BudgetRow, largest: ProtectedSize): void {
  const [limit, size] = max_bytes === null ? [max_records, largest.records] : [max_bytes, largest.bytes]
  if (limit === null || size <= limit) return
  const unit = max_bytes === null ? 'records' : 'bytes'
  throw new AppError(
    'budget_too_small',
    `The scope has ${size} ${unit} that are never forgotten, and the budget allows ${limit}.`,
    {
      extra: {
        [`max_${unit}`]: limit,
        [`protected_${unit}`]: size,
        ...(scope === unscoped ? presentScope(largest.scope) : {}),
      },
    },
  )
}

function createNotFound(): AppError {
  return new AppError('budget_not_found', 'There is no such budget that the key may see.')
}

function present({ scope, max_records: records, max_bytes: bytes, protect, mode }: BudgetRow): Budget {
  return omitNulls({
    ...presentScope(scope),
    max_records: records,
    max_bytes: bytes,
    // The schema of the request allows no others.
    protect: protect as Budget['protect'],
    mode: mode as Budget['mode'],
  })
}
