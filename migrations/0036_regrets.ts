import { type Kysely, sql } from 'kysely'

/**
 * Forgotten records that would have been part of an answer. One row for each record, without the questions: a question is
 * memory content. New table, no lock on others but a short one on records for the foreign key.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table regrets`.execute(db)
}

const statements = [
  // Reason and run are copied: a restore clears them on the record, and the regret says what was wrong to forget it.
  `create table regrets (
    record_id uuid not null,
    forgotten_at timestamptz not null,
    reason text not null,
    run_id uuid,
    first_at timestamptz not null,
    last_at timestamptz not null,
    times integer not null,
    constraint regrets_pkey primary key (record_id),
    constraint regrets_record foreign key (record_id) references records (id) on delete cascade,
    constraint regrets_times_range check (times >= 1),
    constraint regrets_order check (first_at <= last_at)
  )`,
  `create index regrets_last_at on regrets (last_at desc, record_id desc)`,
  `comment on table regrets is 'forgotten records that would have been among the first ten of an answer'`,
]
