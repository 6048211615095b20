import { type Kysely, sql } from 'kysely'

/**
 * The search text of an earlier version contains secrets and the arguments of tools. Lists every record, so that the
 * worker computes its text again, and lists each record that a process of an earlier version writes later: this
 * version writes the word `text 1`, which no text can contain. Blocks writes of records, not reads, while it lists
 * the ids, some seconds for a million records.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** The word stays in the search vectors and has no effect. */
export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger contents_outdated on contents`.execute(db)
  await sql`drop function list_outdated_text()`.execute(db)
  await sql`drop table outdated_texts`.execute(db)
}

const statements = [
  // No foreign key: the worker skips records that are gone.
  `create table outdated_texts (
    record_id uuid not null,
    listed_at timestamptz not null,
    constraint outdated_texts_pkey primary key (record_id)
  )`,
  `comment on table outdated_texts is 'records whose search text an earlier version computed'`,
  `create function list_outdated_text() returns trigger language plpgsql as $$
    begin
      insert into outdated_texts (record_id, listed_at) values (new.record_id, now())
      on conflict (record_id) do nothing;
      return null;
    end
  $$`,
  `create trigger contents_outdated after insert or update of search on contents
    for each row when (not new.search @@ '''text 1'''::tsquery) execute function list_outdated_text()`,
  `insert into outdated_texts (record_id, listed_at) select record_id, now() from contents`,
]
