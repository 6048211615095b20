import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { tombstonesKey } from '../../db/fragments/lock-keys.ts'
import type { Tombstones } from '../../db/schema.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Trust } from '../../domain/trust/caller.ts'

export type TombstoneRow = Pick<Selectable<Tombstones>, 'id' | 'scope' | 'created_at' | 'actor' | 'via'>
export type Position = { created_at: string; id: string }
export type SealedContent = { scope: string; digest: Buffer }

/**
 * The given contents that were erased. No erase can start until the transaction ends, so all other contents can be
 * stored.
 */
export async function findTombstonesOf(
  db: Database,
  keyId: Buffer | null,
  sealed: readonly SealedContent[],
): Promise<SealedContent[]> {
  const scopes = sealed.map(({ scope }) => scope)
  const digests = sealed.map(({ digest }) => digest)
  const { rows } = await sql<SealedContent>`
    select erased_scope as scope, erased_digest as digest
    from erased_among(${keyId}::bytea, ${scopes}::text[], ${digests}::bytea[])
  `.execute(db)
  return rows
}

/** Waits for all transactions that are storing content, and blocks new ones. */
export async function lockTombstonesExclusive(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${tombstonesKey})`.execute(tx)
}

/**
 * For a transaction that locks records and stores others later. An erase locks the tombstones before the records. In the
 * other order the two would deadlock, and PostgreSQL takes a second to find a deadlock.
 */
export async function lockTombstonesShared(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${tombstonesKey})`.execute(tx)
}

/**
 * Returns the ids of the tombstones that `trust` may list: the existing one if the same content was erased before. The
 * others would tell how many hidden records are erased too, and when hidden content was erased before.
 */
export async function insertTombstones(
  tx: Transaction,
  rows: readonly Insertable<Tombstones>[],
  trust: Trust,
): Promise<string[]> {
  if (rows.length === 0) return []
  const stored = await tx
    .insertInto('tombstones')
    .values([...rows])
    // As sensitive as the most sensitive record that had this content.
    .onConflict((conflict) =>
      conflict
        .constraint('tombstones_content')
        .doUpdateSet({ sensitivity: sql`greatest(tombstones.sensitivity, excluded.sensitivity)` }),
    )
    .returning(['id', isWithinTrust(trust).as('is_open')])
    .execute()
  return stored.flatMap(({ id, is_open: isOpen }) => (isOpen ? [id] : []))
}

/** Tombstones of records that the key could read in full and change. */
function isWithinTrust({ maxSensitivity, scopes }: Trust): RawBuilder<boolean> {
  const inScopes = scopes ? sql`scope = any(${scopes}::text[])` : sql`true`
  return sql<boolean>`(sensitivity <= ${maxSensitivity}::sensitivity and ${inScopes})`
}

/** Newest first, after the position `after`. */
export async function listTombstones(
  db: Database,
  trust: Trust,
  limit: number,
  after: Position | undefined,
): Promise<TombstoneRow[]> {
  return db
    .selectFrom('tombstones')
    .select(['id', 'scope', 'created_at', 'actor', 'via'])
    .where(isWithinTrust(trust))
    .$if(after !== undefined, (qb) =>
      qb.where(sql<boolean>`(created_at, id) < (${after?.created_at}::timestamptz, ${after?.id}::uuid)`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function deleteTombstone(db: Database, trust: Trust, id: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('tombstones')
    .where('id', '=', id)
    .where(isWithinTrust(trust))
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}
