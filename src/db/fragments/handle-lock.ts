import { sql } from 'kysely'

/** Locks a handle, of which a row has the `digest` and the `scope`, until the transaction ends. */
export const lockHandle = sql`pg_advisory_xact_lock(
      ('x' || encode(substring(digest from 1 for 8), 'hex'))::bit(64)::bigint # hashtextextended(scope, lock_seed())
    )`
