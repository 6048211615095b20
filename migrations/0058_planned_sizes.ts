import { type Kysely, sql } from 'kysely'

/**
 * The size of a scope is counted by a function in PL/pgSQL, which keeps the plan of its statement. In SQL it was planned
 * at each call: four fifths of the time that it took for each record that is forgotten, restored or pinned.
 *
 * Locks: none that a reader or a writer waits for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(addScopeSize(`language plpgsql as $$ begin ${statement}; end $$`)).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql.raw(addScopeSize(`language sql as $$ ${statement} $$`)).execute(db)
}

function addScopeSize(body: string): string {
  return `create or replace function add_scope_size(
    scope text, type record_type, layer memory_layer, is_guarded boolean, records bigint, bytes bigint
  ) returns void ${body}`
}

const statement = `
    insert into scope_sizes as s (scope, type, layer, is_guarded, backend, records, bytes)
    values (scope, type, layer, is_guarded, pg_backend_pid(), records, bytes)
    on conflict on constraint scope_sizes_pkey
    do update set records = s.records + excluded.records, bytes = s.bytes + excluded.bytes`
