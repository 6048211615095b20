import { type Kysely, sql } from 'kysely'

/**
 * A run is given up after workers were lost in it again and again without progress. How often it was started says nothing of
 * that: a run of many hours is interrupted often, and comes further each time.
 *
 * Locks: adding a column with a constant default needs no rewrite.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table maintenance_runs add column fruitless_attempts int4 not null default 0
      constraint maintenance_runs_fruitless check (fruitless_attempts >= 0)
  `.execute(db)
  await sql`
    comment on column maintenance_runs.fruitless_attempts is 'how often a worker started the run since it last came further'
  `.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table maintenance_runs drop column fruitless_attempts`.execute(db)
}
