import { type Kysely, sql } from 'kysely'

/**
 * References of records that were missing at the last dream, and the position of a dream, so that a continued run
 * neither counts nor asks twice. New tables only: no reader or writer waits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ['drift_positions', 'drift_misses'])
    await sql`drop table ${sql.table(table)}`.execute(db)
}

const statements = [
  `create table drift_misses (
    record_id uuid not null,
    run_id uuid not null,
    missed_at timestamptz not null,
    reference text not null,
    constraint drift_misses_pkey primary key (record_id),
    constraint drift_misses_record foreign key (record_id) references records (id) on delete cascade
  )`,
  `comment on column drift_misses.run_id is
    'the run that missed it last: runs are deleted in time, so it refers to none'`,

  `create table drift_positions (
    run_id uuid not null,
    after_id uuid not null,
    constraint drift_positions_pkey primary key (run_id),
    constraint drift_positions_run foreign key (run_id) references maintenance_runs (id) on delete cascade
  )`,
]
