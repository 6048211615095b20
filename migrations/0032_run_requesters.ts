import { type Kysely, sql } from 'kysely'

/**
 * Which key requested a run: `root`, `anonymous` or the id of a key; null for a scheduled run. A run of a key that is
 * revoked before the run starts is cancelled. A column without a default: a short exclusive lock and no rewrite, and
 * older code continues to insert runs without it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table maintenance_runs add column requested_by text`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table maintenance_runs drop column requested_by`.execute(db)
}
