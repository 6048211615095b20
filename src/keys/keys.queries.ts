import { type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { ApiKeys } from '../db/schema.ts'
import type { Trust } from '../domain/trust/caller.ts'

export type KeyRow = Selectable<ApiKeys>
export type Position = { created_at: Date; id: string }

/** Listed, because a prepared `select *` fails after a migration adds a column. */
const columns = [
  'id',
  'name',
  'secret_hash',
  'permissions',
  'scopes',
  'max_sensitivity',
  'source_type',
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
] as const

export async function insertKey(db: Database, row: Insertable<ApiKeys>): Promise<void> {
  await db.insertInto('api_keys').values(row).execute()
}

/** Keys that see at most what the caller sees. A key without scopes sees all scopes. */
function isWithinTrust({ maxSensitivity, scopes }: Trust): RawBuilder<SqlBool> {
  const inScopes = scopes ? sql`cardinality(scopes) > 0 and scopes <@ ${scopes}::text[]` : sql`true`
  return sql<SqlBool>`(max_sensitivity <= ${maxSensitivity}::sensitivity and ${inScopes})`
}

export async function findKey(db: Database, trust: Trust, id: string): Promise<KeyRow | undefined> {
  return db
    .selectFrom('api_keys')
    .select(columns)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where(isWithinTrust(trust))
    .executeTakeFirst()
}

export async function findKeyBySecret(db: Database, secretHash: Buffer): Promise<KeyRow | undefined> {
  return db
    .selectFrom('api_keys')
    .select(columns)
    .where('secret_hash', '=', secretHash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
}

/** Newest first, after the position `after`. */
export async function listKeys(
  db: Database,
  trust: Trust,
  limit: number,
  after: Position | undefined,
): Promise<KeyRow[]> {
  return db
    .selectFrom('api_keys')
    .select(columns)
    .where('revoked_at', 'is', null)
    .where(isWithinTrust(trust))
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '<', tuple(after?.created_at ?? new Date(0), after?.id ?? '')),
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function revokeKey(db: Database, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Writes only if the stored time is not newer than `stale`: of many processes that use one key, one writes. */
export async function updateLastUsed(db: Database, id: string, now: Date, stale: Date): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', stale)]))
    .execute()
}
