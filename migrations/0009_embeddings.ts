import { type Kysely, sql } from 'kysely'

/**
 * Vectors of texts, a narrow signature of each for the search, and the list of records without a vector. New tables
 * only. The worker lists existing records, as after any change of the model.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // Created only with the extension pgvector.
  await sql`drop function if exists nearest_signatures(smallint, bit)`.execute(db)
  for (const table of ['unembedded', 'signatures', 'embeddings', 'embedding_models']) {
    await sql`drop table ${sql.table(table)}`.execute(db)
  }
}

const statements = [
  `create table embedding_models (
    id smallint generated always as identity,
    provider text not null,
    model text not null,
    dimensions int4 not null,
    registered_at timestamptz not null,
    seen_at timestamptz not null,
    walked_to uuid,
    max_sensitivity sensitivity not null,
    serves boolean not null default false,
    embeds boolean not null default false,
    constraint embedding_models_pkey primary key (id),
    constraint embedding_models_name unique (provider, model, dimensions),
    constraint embedding_models_dimensions check (dimensions between 1 and 4096)
  )`,
  // One model serves searches, and one embeds new texts: the same one, or its successor.
  `create unique index embedding_models_serving on embedding_models (serves) where serves`,
  `create unique index embedding_models_embedding on embedding_models (embeds) where embeds`,
  `comment on column embedding_models.seen_at is 'when a worker was last there that is configured with it'`,
  `comment on column embedding_models.walked_to is
    'how far its records are listed while it embeds, or its vectors deleted once it does not; null when all are'`,

  `create table embeddings (
    model_id smallint not null,
    bits smallint not null,
    embedded_at timestamptz not null,
    record_id uuid not null,
    code bytea not null,
    constraint embeddings_pkey primary key (record_id, model_id),
    constraint embeddings_model foreign key (model_id) references embedding_models (id) on delete cascade,
    constraint embeddings_record foreign key (record_id) references records (id) on delete cascade,
    constraint embeddings_bits check (bits in (2, 4, 8, 32))
  )`,
  // Floats do not compress; trying took longer than storing them.
  `alter table embeddings alter column code set storage external`,

  // Separate from the vectors, because every search without an index reads all signatures, and a vector is ten times
  // as wide.
  `create table signatures (
    record_id uuid not null,
    model_id smallint not null,
    bits bit(1024) not null,
    constraint signatures_pkey primary key (record_id, model_id),
    constraint signatures_embedding foreign key (record_id, model_id)
      references embeddings (record_id, model_id) on delete cascade
  )`,

  // No foreign key, because every create would pay for its check; the worker skips records that are gone. An infinite
  // instant marks a text that was given up.
  `create table unembedded (
    record_id uuid not null,
    asked_at timestamptz not null,
    due_at timestamptz not null,
    attempts int4 not null default 0,
    constraint unembedded_pkey primary key (record_id)
  )`,
  `create index unembedded_due on unembedded (due_at)`,
  // The table is full for a short while and then empty: dead rows are removed early, so that a look at the list does
  // not read them.
  `alter table unembedded set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000)`,
]
