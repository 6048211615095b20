import { type Kysely, sql } from 'kysely'

/**
 * The working data of an import: lines that are stored only after all of them were checked, and edges whose target
 * may come later in the stream. Unlogged: an import that a crash ends is sent again. New tables only: no reader or
 * writer waits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ['awaiting_edges', 'import_lines'])
    await sql`drop table ${sql.table(table)}`.execute(db)
}

const statements = [
  `create unlogged table import_lines (
    import_id uuid not null,
    line int4 not null,
    received_at timestamptz not null,
    bytes bytea not null,
    constraint import_lines_pkey primary key (import_id, line)
  )`,
  `create index import_lines_received_at on import_lines using brin (received_at)`,

  // No foreign key to its source: if the source is erased meanwhile, the edge is skipped when its target comes.
  `create unlogged table awaiting_edges (
    import_id uuid not null,
    source_id uuid not null,
    target_id uuid not null,
    received_at timestamptz not null,
    created_at timestamptz not null,
    weight float8 not null,
    predicate text not null,
    inverse text,
    constraint awaiting_edges_pkey primary key (import_id, target_id, source_id, predicate)
  )`,
  `create index awaiting_edges_received_at on awaiting_edges using brin (received_at)`,
]
