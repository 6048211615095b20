import { type Kysely, sql } from 'kysely'

/**
 * When somebody put a record into a lower layer, so that its past does not carry it up again; and what there is in
 * the working layer, which is looked through every hour and mostly empty.
 *
 * The column costs a moment. The index reads all records once, a second or two for a million, in which they cannot be
 * written.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table records add column demoted_at timestamptz`.execute(db)
  // Of columns that no access changes: with its count among them, every access would write every index anew.
  await sql`
    create index records_working on records (created_at, id)
    where layer = 'working' and forgotten_at is null and not pinned and status in ('active', 'challenged')
  `.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index records_working`.execute(db)
  await sql`alter table records drop column demoted_at`.execute(db)
}
