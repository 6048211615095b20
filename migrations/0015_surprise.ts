import { type Kysely, sql } from 'kysely'

/**
 * What a record said that the store did not know when its vector came, and which vectors are still to be compared.
 *
 * New tables only. Records that have a vector already stay as they are: the store they came to is no more.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ['surprises', 'unsurprised']) await sql`drop table ${sql.table(table)}`.execute(db)
}

const statements = [
  // In the order in which records came to be: the later of two that say the same is the one that repeats.
  `create table unsurprised (
    created_at timestamptz not null,
    asked_at timestamptz not null,
    record_id uuid not null,
    constraint unsurprised_pkey primary key (record_id),
    constraint unsurprised_record foreign key (record_id) references records (id) on delete cascade
  )`,
  `create index unsurprised_order on unsurprised (created_at, record_id)`,
  // Work for a short while and then none: what is dead is cleared away before a look at the list would wade through it.
  `alter table unsurprised set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000)`,
  `comment on column unsurprised.asked_at is
    'when its text was written: it is compared once no text of before waits for its vector'`,

  // Once for each record, so that the row is also what keeps it from being compared again.
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
