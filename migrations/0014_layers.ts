import { type Kysely, sql } from 'kysely'

/**
 * When a client demoted a record, so that its past does not promote it again; and an index of the working layer,
 * which is searched every hour and is mostly empty. The column takes a moment. The index reads all records once, a
 * second or two for a million, and blocks their writes meanwhile.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table records add column demoted_at timestamptz`.execute(db)
  // Columns that no access changes: with the access count, every access would write every index anew.
  await sql`
    create index records_working on records (created_at, id)
    where layer = 'working' and forgotten_at is null and not pinned and status in ('active', 'challenged')
  `.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index records_working`.execute(db)
  await sql`alter table records drop column demoted_at`.execute(db)
}
