import { type Insertable, type Selectable, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { IdempotencyKeys } from '../../db/schema.ts'
import { sendWithNext } from '../../db/statements/deferred-statements.ts'
import type { Transaction } from '../../db/transaction.ts'

export type Owner = { principal: string; key: string }
export type StoredAnswer = Pick<Selectable<IdempotencyKeys>, 'fingerprint' | 'status' | 'headers' | 'body'>

/** Takes locks without waiting, and says which it has got. They are released when the transaction ends. */
export async function tryLocks(tx: Transaction, locks: readonly bigint[]): Promise<boolean[]> {
  const { rows } = await sql<{ held: boolean[] }>`
    select array_agg(pg_try_advisory_xact_lock(lock # lock_seed()) order by place) as held
    from unnest(${locks.map(String)}::bigint[]) with ordinality as requested (lock, place)
  `.execute(tx)
  return rows[0]?.held ?? []
}

/** Returns the answers that are stored for some keys. */
export async function findAnswers(
  db: Database,
  owners: readonly Owner[],
  now: Date,
): Promise<(Owner & StoredAnswer)[]> {
  const { rows } = await sql<Owner & StoredAnswer>`
    select k.principal, k.key, k.fingerprint, k.status, k.headers, k.body
    from unnest(
      ${owners.map(({ principal }) => principal)}::text[], ${owners.map(({ key }) => key)}::text[]
    ) as asked (principal, key)
    join idempotency_keys as k on k.principal = asked.principal and k.key = asked.key
    where k.expires_at > ${now}::timestamptz
  `.execute(db)
  return rows
}

/** Inserts answers, or replaces expired ones whose rows were not deleted yet. */
export async function storeAnswers(
  tx: Transaction,
  answers: readonly Insertable<IdempotencyKeys>[],
): Promise<void> {
  const statement = sql`
    insert into idempotency_keys (principal, key, fingerprint, status, headers, body, created_at, expires_at)
    select principal, key, fingerprint, status, headers::jsonb, body, created_at, expires_at
    from json_to_recordset(${JSON.stringify(answers)}::json) as answer (
      principal text, key text, fingerprint text, status int4, headers text, body text,
      created_at timestamptz, expires_at timestamptz
    )
    on conflict (principal, key) do update set
      fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
      created_at = excluded.created_at, expires_at = excluded.expires_at
  `
  await sendWithNext(() => statement.execute(tx))
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
