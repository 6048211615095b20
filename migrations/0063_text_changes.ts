import { type Kysely, sql } from 'kysely'

/**
 * When a text was stored or changed, as a transaction: a process that keeps the words of texts in memory asks for those that
 * its snapshot did not see. A time would miss what commits late.
 *
 * Locks: adding the column needs no rewrite. Creating the index blocks writes of records, about a second for a million of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger contents_changing on contents`.execute(db)
  await sql`drop trigger contents_returning on contents`.execute(db)
  await sql`drop function note_text_change()`.execute(db)
  await sql`drop index contents_changed`.execute(db)
  await sql`alter table contents drop column changed`.execute(db)
}

const statements = [
  // Texts that were there before count as seen by every snapshot.
  `alter table contents add column changed xid8 not null default '0'`,
  `alter table contents alter column changed set default pg_current_xact_id()`,
  `comment on column contents.changed is 'the transaction that stored or last changed the row'`,
  `create index contents_changed on contents (changed)`,
  // A trigger, so that also a process of the release before notes what it changes.
  `create function note_text_change() returns trigger language plpgsql as $$
  begin
    new.changed := pg_current_xact_id();
    return new;
  end $$`,
  `create trigger contents_changing before update on contents for each row execute function note_text_change()`,
  // What an undo brings back has the transaction of long ago.
  `create trigger contents_returning before insert on contents for each row
    when (new.changed is distinct from pg_current_xact_id()) execute function note_text_change()`,
]
