import { type Kysely, sql } from 'kysely'

/**
 * The judgement behind the base importance of a record: one byte for each part, after the number of the list of parts.
 * Empty where the importance was named. A column without a default: a short exclusive lock and no rewrite, and records of
 * older code have no judgement.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table records add column worth bytea`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table records drop column worth`.execute(db)
}
