import { type Kysely, sql } from 'kysely'

/**
 * An inverted file over the signatures: each vector belongs to a cell, and a search reads the nearest cells. Cell 0 holds
 * the vectors without a cell; every search reads it. The index contains the signature, so that a cell is read from
 * neighbouring pages. The new column needs no rewrite. Creating the index blocks writes of vectors, about ten seconds for
 * a million of them; searches and writes of records continue.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index signatures_cell`.execute(db)
  await sql`alter table signatures drop column cell`.execute(db)
  await sql`alter table signatures reset (
    autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor, autovacuum_analyze_scale_factor
  )`.execute(db)
  await sql`drop table vector_cells`.execute(db)
}

const statements = [
  `create table vector_cells (
    id int4 generated always as identity,
    model_id smallint not null,
    vectors int4 not null,
    members int4[] not null,
    centroids bytea not null,
    constraint vector_cells_pkey primary key (id),
    constraint vector_cells_model foreign key (model_id) references embedding_models (id) on delete cascade
  )`,
  `comment on table vector_cells is 'one row for each set of cells; a vector may be in a cell of any set of its model'`,
  `comment on column vector_cells.vectors is 'the number of vectors of the model when the set was learnt'`,
  `comment on column vector_cells.members is 'how many vectors of the sample are in each cell'`,
  // Does not compress.
  `alter table vector_cells alter column centroids set storage external`,
  `alter table signatures add column cell int4 not null default 0`,
  `create index signatures_cell on signatures (model_id, cell) include (record_id, bits)`,
  // A search reads only the index as long as the visibility map is recent.
  `alter table signatures set (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
  )`,
]
