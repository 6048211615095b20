import { type Kysely, sql } from 'kysely'

/**
 * Which workers hold the place of the embedding model, so that the last one that stops can release it. Workers of an
 * earlier version write only `embedding_models.seen_at`, as before. New table, nothing else is locked for long.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table embedding_workers`.execute(db)
}

const statements = [
  `create table embedding_workers (
    worker uuid not null,
    model_id smallint not null,
    seen_at timestamptz not null,
    constraint embedding_workers_pkey primary key (worker),
    constraint embedding_workers_model foreign key (model_id) references embedding_models (id) on delete cascade
  )`,
  `comment on table embedding_workers is 'workers with an embedding model; a worker that stops properly deletes its row'`,
]
