import { type Kysely, sql } from 'kysely'

/** When each record was shown or used, and an index of status changes by time for queries about the past. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index status_changes_at`.execute(db)
  await sql`drop table access_log`.execute(db)
  await sql`drop type access_kind`.execute(db)
}

const statements = [
  // Showing and using a record are separate, because showing says less about the worth of a memory.
  `create type access_kind as enum ('served', 'used')`,
  `create table access_log (
    record_id uuid not null,
    at timestamptz not null,
    kind access_kind not null,
    actor text not null,
    constraint access_log_record foreign key (record_id) references records (id) on delete cascade,
    constraint access_log_actor_length check (char_length(actor) between 1 and 256)
  )`,
  `create index access_log_record on access_log (record_id, at desc)`,
  // The log grows at its end, so the ranges of some pages show where its old part ends; a tree would be as large as
  // the table.
  `create index access_log_at on access_log using brin (at)`,

  // No request reads this table, and it has one row per status change: the lock is short.
  `create index status_changes_at on status_changes (at)`,
]
