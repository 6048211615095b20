import { type Kysely, sql } from 'kysely'

/**
 * The key that was shown a record, so that a record counts as served once per key and UTC day. Older entries have no key
 * and are not compared.
 *
 * Locks: a column without a default rewrites nothing. `access_log` accepts no writes while the index is built, which reads
 * the table once and finds nothing to enter.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index access_log_served_once`.execute(db)
  await sql`alter table access_log drop column key_id`.execute(db)
}

const statements = [
  // The actor does not serve for this, because the caller names it.
  `alter table access_log add column key_id text collate "C"
    constraint access_log_reader check (key_id is null or (kind = 'served' and char_length(key_id) between 1 and 256))`,
  `comment on column access_log.key_id is 'of a served access: the id of the key, root or anonymous'`,
  `create unique index access_log_served_once on access_log (record_id, key_id, ((at at time zone 'UTC')::date))
    where key_id is not null`,
]
