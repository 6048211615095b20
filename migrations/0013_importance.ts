import { type Kysely, sql } from 'kysely'

/**
 * The history of importance, and what it needs of old accesses after they are deleted. New tables, and one column
 * with a constant default, whose check reads the records once: about a second for a million. Counting the served
 * accesses reads the access log once and writes each record in it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table access_folds, importance_history`.execute(db)
  await sql`drop index access_log_newest`.execute(db)
  await sql`create index access_log_record on access_log (record_id, at desc)`.execute(db)
  await sql`alter table records drop column served_count`.execute(db)
}

const statements = [
  `alter table records add column served_count int4 not null default 0,
    add constraint records_served_count check (served_count >= 0)`,
  `comment on column records.served_count is
    'how many of the accesses only showed the record, which counts as a quarter of a use'`,
  `update records as r set served_count = l.served
    from (select record_id, count(*) as served from access_log where kind = 'served' group by record_id) as l
    where l.record_id = r.id`,

  // Accesses of one instant have a fixed order, and the newest are read from the index alone. Accesses wait while it
  // is built: some seconds for some millions.
  `drop index access_log_record`,
  `create index access_log_newest on access_log (record_id, at desc, kind)`,

  // One index only, because a run that changes a million scores writes as many rows here. The table outlives its
  // record, like the log of statuses, and has no content.
  `create table importance_history (
    id bigint generated always as identity,
    at timestamptz not null,
    old float8 not null,
    new float8 not null,
    record_id uuid not null,
    run_id uuid,
    constraint importance_history_pkey primary key (record_id, id),
    constraint importance_history_range check (old between 0 and 1 and new between 0 and 1)
  )`,
  // Shows where the old part of the log ends, for its deletion.
  `create index importance_history_at on importance_history using brin (at)`,

  // The number of days with accesses that the log no longer contains.
  `create table access_folds (
    record_id uuid not null,
    days int4 not null,
    constraint access_folds_pkey primary key (record_id),
    constraint access_folds_record foreign key (record_id) references records (id) on delete cascade,
    constraint access_folds_days check (days > 0)
  )`,
]
