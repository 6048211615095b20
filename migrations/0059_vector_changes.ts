import { type Kysely, sql } from 'kysely'

/**
 * When a vector was stored or changed, as a transaction: a process that keeps vectors in memory asks for those that its snapshot
 * did not see. A time would miss what commits late.
 *
 * Locks: adding the column needs no rewrite. Creating the index blocks writes of vectors, about a second for a million of
 * them; searches and writes of records continue.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger embeddings_changing on embeddings`.execute(db)
  await sql`drop function note_vector_change()`.execute(db)
  await sql`drop index embeddings_changed`.execute(db)
  await sql`alter table embeddings drop column changed`.execute(db)
}

const statements = [
  // Vectors that were there before count as seen by every snapshot.
  `alter table embeddings add column changed xid8 not null default '0'`,
  `alter table embeddings alter column changed set default pg_current_xact_id()`,
  `comment on column embeddings.changed is 'the transaction that stored or last changed the vector'`,
  `create index embeddings_changed on embeddings (model_id, changed)`,
  // A trigger, so that also a worker of the release before notes what it changes.
  `create function note_vector_change() returns trigger language plpgsql as $$
  begin
    new.changed := pg_current_xact_id();
    return new;
  end $$`,
  `create trigger embeddings_changing before update on embeddings for each row execute function note_vector_change()`,
]
