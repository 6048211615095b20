import { type Kysely, sql } from 'kysely'

/**
 * Which episodes are messages of a conversation, and in what order. The payload says so too; this table is the index of it.
 * The scope is copied from the record, so that one index finds the neighbours of a message. New table, no lock on others but
 * a short one on records for the trigger.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger records_messages on records`.execute(db)
  await sql`drop function move_message()`.execute(db)
  await sql`drop table messages`.execute(db)
}

const statements = [
  `create table messages (
    record_id uuid not null,
    scope text not null,
    conversation text not null,
    at timestamptz not null,
    arrival bigint generated always as identity,
    constraint messages_pkey primary key (record_id),
    constraint messages_record foreign key (record_id) references records (id) on delete cascade
  )`,
  `create index messages_order on messages (scope, conversation, at, arrival)`,
  `comment on table messages is 'episodes that are messages of a conversation, in its order'`,
  `create function move_message() returns trigger language plpgsql as $$
    begin
      update messages set scope = new.scope where record_id = new.id;
      return null;
    end
  $$`,
  `create trigger records_messages after update of scope on records
    for each row when (new.type = 'episodic' and new.scope <> old.scope)
    execute function move_message()`,
]
