import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { createScopeSizeKey } from '../db/fragments/lock-keys.ts'
import type { Budgets } from '../db/schema.ts'
import type { Transaction } from '../db/transaction.ts'
import { type Trust, unscoped } from '../domain/trust/caller.ts'

export type BudgetRow = Selectable<Budgets>

const columns = ['scope', 'max_records', 'max_bytes', 'protect', 'mode'] as const

/** Every caller sees the default, because it applies in the scopes of the caller too. */
function isVisible({ scopes }: Trust): RawBuilder<SqlBool> {
  return scopes ? sql<SqlBool>`scope = any(${[...scopes, unscoped]}::text[])` : sql<SqlBool>`true`
}

/** The default comes first, then the others in the order of their scopes. */
export async function listBudgets(
  db: Database,
  { trust, after, limit }: { trust: Trust; after: string | undefined; limit: number },
): Promise<BudgetRow[]> {
  return db
    .selectFrom('budgets')
    .select(columns)
    .where(isVisible(trust))
    .$if(after !== undefined, (query) => query.where('scope', '>', after ?? ''))
    .orderBy('scope')
    .limit(limit)
    .execute()
}

export async function findBudget(
  db: Database,
  { trust, scope }: { trust: Trust; scope: string },
): Promise<BudgetRow | undefined> {
  return db
    .selectFrom('budgets')
    .select(columns)
    .where('scope', '=', scope)
    .where(isVisible(trust))
    .executeTakeFirst()
}

/**
 * Waits for a batch that forgets records of the scope, and keeps others from starting: no record is forgotten under the
 * old budget after the new one was answered. A batch under the default locks the row of the default instead.
 */
export async function lockBudget(tx: Transaction, scope: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${createScopeSizeKey(scope)})`.execute(tx)
}

export async function upsertBudget(tx: Transaction, row: BudgetRow): Promise<void> {
  const { scope: _, ...choice } = row
  await tx
    .insertInto('budgets')
    .values(row)
    .onConflict((conflict) => conflict.column('scope').doUpdateSet(choice))
    .execute()
}

export async function deleteBudget(tx: Transaction, scope: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('budgets').where('scope', '=', scope).executeTakeFirst()
  return numDeletedRows > 0
}

export type ProtectedSize = { scope: string; records: number; bytes: number }

/**
 * The size of what may never be forgotten for a budget: records that are pinned, have another policy than `auto_prune`,
 * or have a protected type or layer. For the default, the largest of the scopes to which it applies.
 */
export async function findLargestProtected(
  db: Database,
  { scope, max_bytes, protect }: BudgetRow,
): Promise<ProtectedSize | undefined> {
  const within =
    scope === unscoped
      ? sql`not exists (select from budgets as b where b.scope = s.scope and b.scope <> ${unscoped})`
      : sql`s.scope = ${scope}`
  const { rows } = await sql<ProtectedSize>`
    select s.scope, sum(s.records)::int8 as records, sum(s.bytes)::int8 as bytes
    from scope_sizes as s
    where ${within} and (
      s.is_guarded or s.type::text = any(${protect}::text[]) or s.layer::text = any(${protect}::text[])
    )
    group by s.scope
    order by ${max_bytes === null ? sql`records` : sql`bytes`} desc
    limit 1
  `.execute(db)
  return rows[0]
}
