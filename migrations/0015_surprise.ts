import { type Kysely, sql } from 'kysely'

/**
 * How surprising a record was when its vector came, and which vectors still wait for the comparison. New tables only.
 * Records that already have a vector stay as they are: the store at the time of their arrival cannot be restored.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ['surprises', 'unsurprised']) await sql`drop table ${sql.table(table)}`.execute(db)
}

const statements = [
  // In the order of creation: of two records that say the same, the later one is the repetition.
  `create table unsurprised (
    created_at timestamptz not null,
    asked_at timestamptz not null,
    record_id uuid not null,
    constraint unsurprised_pkey primary key (record_id),
    constraint unsurprised_record foreign key (record_id) references records (id) on delete cascade
  )`,
  `create index unsurprised_order on unsurprised (created_at, record_id)`,
  // The table is full for a short while and then empty: dead rows are removed early, so that a look at the list does
  // not read them.
  `alter table unsurprised set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000)`,
  `comment on column unsurprised.asked_at is
    'when its text was written: it is compared once no text of before waits for its vector'`,

  // One row per record, so that the row also prevents a second comparison.
  `create table surprises (
    at timestamptz not null,
    score double precision not null,
    delta double precision not null,
    base_before double precision not null,
    record_id uuid not null,
    duplicate_of uuid,
    neighbours jsonb not null,
    constraint surprises_pkey primary key (record_id),
    constraint surprises_record foreign key (record_id) references records (id) on delete cascade,
    constraint surprises_score check (score between 0 and 1),
    constraint surprises_delta check (delta between -1 and 1),
    constraint surprises_base check (base_before between 0 and 1)
  )`,
]
