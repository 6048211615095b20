import { type RawBuilder, sql } from 'kysely'

/** The keys of advisory locks, together, so that no two rules get the same one. The numbers are also in triggers of migrations. */

/** Content is stored, or erased and kept out. */
export const tombstonesKey = sql`7350 # lock_seed(), 3`
/** Entities are merged. */
export const mergesKey = sql`7350 # lock_seed(), 5`
/** Texts are claimed to be embedded. */
export const embeddingClaimsKey = sql`7350 # lock_seed(), 11`
/** New records are compared with the known ones. */
export const comparisonKey = sql`7350 # lock_seed(), 12`
/** The cells of vectors are replaced. */
export const cellSetsKey = sql`7350 # lock_seed(), 13`

/** Migrations are applied in one of the schemas of a database. */
export const migrationsKey = 7_350_001
/** A process uses the embedded server. */
export const embeddedServerKey = 7_350_002
/** The index of signatures is built in one of the schemas of a database. */
export const signatureIndexKey = 7_350_009

/** The size of a scope is lowered, or its budget is enforced or changed. */
export function createScopeSizeKey(scope: string): RawBuilder<unknown> {
  return sql`7351 # lock_seed(), hashtext(${scope}::text) & 63`
}

/** Locks a handle, of which a row has the `digest` and the `scope`, until the transaction ends. */
export const lockHandle = sql`pg_advisory_xact_lock(
      ('x' || encode(substring(digest from 1 for 8), 'hex'))::bit(64)::bigint # hashtextextended(scope, lock_seed())
    )`
