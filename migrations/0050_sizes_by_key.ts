import { type Kysely, sql } from 'kysely'

/**
 * The sizes of scopes are counted by the keys of the new records. A connection keeps the plan of a trigger: one that it
 * made while the store was small read all records at each insert of many, a quarter of the time of an import.
 *
 * Locks: none that a reader or a writer waits for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(sizeByKey).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql.raw(sizeByJoin).execute(db)
}

// The limit keeps the planner from joining the tables as a whole.
const sizeByKey = `create or replace function size_contents() returns trigger language plpgsql as $$
    begin
      insert into scope_sizes as s (scope, type, layer, is_guarded, backend, records, bytes)
      select r.scope, r.type, r.layer, r.pinned or r.deletion_policy <> 'auto_prune', pg_backend_pid(),
        count(*), sum(record_bytes(a.tags, a.payload, a.provenance, a.interpretation))
      from added as a
      cross join lateral (
        select scope, type, layer, pinned, deletion_policy, forgotten_at
        from records where id = a.record_id limit 1
      ) as r
      where r.forgotten_at is null
      group by 1, 2, 3, 4
      on conflict on constraint scope_sizes_pkey
      do update set records = s.records + excluded.records, bytes = s.bytes + excluded.bytes;
      return null;
    end
  $$`

const sizeByJoin = `create or replace function size_contents() returns trigger language plpgsql as $$
    begin
      insert into scope_sizes as s (scope, type, layer, is_guarded, backend, records, bytes)
      select r.scope, r.type, r.layer, r.pinned or r.deletion_policy <> 'auto_prune', pg_backend_pid(),
        count(*), sum(record_bytes(a.tags, a.payload, a.provenance, a.interpretation))
      from added as a join records as r on r.id = a.record_id
      where r.forgotten_at is null
      group by 1, 2, 3, 4
      on conflict on constraint scope_sizes_pkey
      do update set records = s.records + excluded.records, bytes = s.bytes + excluded.bytes;
      return null;
    end
  $$`
