import { type Kysely, sql } from 'kysely'

/**
 * The few facts that hold for a time only. Every search asks each record whether it still holds, and without this
 * reads the content of each to learn that it always does.
 *
 * Reads all contents once, some seconds for a million, in which they cannot be written.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index contents_windows on contents (record_id) where payload #>> '{validity,mode}' = 'timeboxed'
  `.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index contents_windows`.execute(db)
}
