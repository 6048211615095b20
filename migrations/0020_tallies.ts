import { type Kysely, sql } from 'kysely'

/**
 * Counters of the store since it was created, and the trace that requested a run. Each connection counts in its own
 * rows, so that no transaction waits for another; a reader adds them up. Older runs are counted once, here. A new
 * table and a column without a default: no reader or writer waits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table maintenance_runs drop column traceparent`.execute(db)
  await sql`drop table tallies`.execute(db)
}

const statements = [
  `create table tallies (
    name text not null,
    backend integer not null,
    value double precision not null,
    constraint tallies_pkey primary key (name, backend)
  ) with (fillfactor = 50)`,
  `comment on column tallies.backend is 'the process of the server that counts here; 0 is what was counted before'`,
  `insert into tallies (name, backend, value)
   select 'run/' || job || '/' || status, 0, count(*) from maintenance_runs
   where finished_at is not null and not dry_run group by 1`,
  `insert into tallies (name, backend, value)
   select 'run_seconds/' || job, 0, sum(extract(epoch from finished_at - started_at)) from maintenance_runs
   where finished_at is not null and started_at is not null and not dry_run group by 1`,
  `insert into tallies (name, backend, value)
   select 'job/' || job || '/' || stat.key, 0, sum(stat.value::float8)
   from maintenance_runs, jsonb_each_text(stats) as stat
   where finished_at is not null and not dry_run and stat.value ~ '^[0-9]{1,15}$' group by 1`,
  `alter table maintenance_runs add column traceparent text
    constraint maintenance_runs_traceparent check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')`,
]
