import { type Kysely, sql } from 'kysely'

/**
 * When a record was restored or got another sensitivity, as a transaction: a process that keeps the words of texts in memory
 * leaves out what was forgotten or is too sensitive for the caller, and must learn when that has changed.
 *
 * Locks: adding the column needs no rewrite, and nothing is in the index at first; to build it reads the table once, about a
 * second for a million records.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger records_revealing on records`.execute(db)
  await sql`drop function note_revealed_record()`.execute(db)
  await sql`drop index records_revealed`.execute(db)
  await sql`alter table records drop column revealed`.execute(db)
}

const statements = [
  `alter table records add column revealed xid8`,
  `comment on column records.revealed is 'the transaction that last restored the record or changed its sensitivity'`,
  `create index records_revealed on records (revealed) where revealed is not null`,
  `create function note_revealed_record() returns trigger language plpgsql as $$
  begin
    new.revealed := pg_current_xact_id();
    return new;
  end $$`,
  `create trigger records_revealing before update of forgotten_at, sensitivity on records for each row
    when (old.forgotten_at is not null and new.forgotten_at is null or old.sensitivity <> new.sensitivity)
    execute function note_revealed_record()`,
]
