import { type Insertable, type Selectable, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { IdempotencyKeys } from '../db/schema.ts'
import type { Transaction } from '../db/transaction.ts'

type Owner = { principal: string; key: string }
export type StoredAnswer = Pick<Selectable<IdempotencyKeys>, 'fingerprint' | 'status' | 'headers' | 'body'>

/** Takes the lock without waiting. It is released when the transaction ends. */
export async function tryLock(tx: Transaction, lock: bigint): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_xact_lock(${lock}::bigint # lock_seed()) as held
  `.execute(tx)
  return rows[0]?.held ?? false
}

export async function findAnswer(
  db: Database,
  { principal, key }: Owner,
  now: Date,
): Promise<StoredAnswer | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'headers', 'body'])
    .where('principal', '=', principal)
    .where('key', '=', key)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Inserts the answer, or replaces an expired one whose row was not deleted yet. */
export async function storeAnswer(tx: Transaction, row: Insertable<IdempotencyKeys>): Promise<void> {
  const { principal: _, key: _1, ...answer } = row
  await tx
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['principal', 'key']).doUpdateSet(answer))
    .execute()
}

/** Returns how many rows were deleted, at most `limit`; the caller repeats until it is fewer. */
export async function deleteExpiredAnswers(db: Database, now: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_keys')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('principal', 'key'),
        'in',
        selectFrom('idempotency_keys')
          .select(['principal', 'key'])
          .where('expires_at', '<=', now)
          .orderBy('expires_at')
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .$asTuple('principal', 'key'),
      ),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
