import { type Kysely, sql } from 'kysely'

/**
 * An index of the few facts with a validity window. Every search checks whether each record is valid, and without the
 * index it reads the contents of each to learn that it always is. Reads all contents once, some seconds for a
 * million, and blocks their writes meanwhile.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index contents_windows on contents (record_id) where payload #>> '{validity,mode}' = 'timeboxed'
  `.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index contents_windows`.execute(db)
}
