import { type Kysely, sql } from 'kysely'

/**
 * Budgets of scopes: how many records or bytes a scope may hold. The decay job forgets what exceeds it.
 *
 * The size of each scope is counted by triggers, in the transaction of the write. Each connection counts in its own
 * rows, so that no writer waits for another; the decay job adds the rows up. A transaction that lowers a size shares
 * an advisory lock of the scope, and the batch that forgets for a budget holds it alone: so it counts every removal
 * before its own, and never forgets too much.
 *
 * Locks: `records` and `contents` accept no writes while the sizes are counted and the index is built, about a minute for
 * 1,000,000 records. Reads continue. The new column has no default, so no table is rewritten.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index records_keeping`.execute(db)
  await sql`drop trigger contents_sized on contents`.execute(db)
  await sql`drop trigger contents_resized on contents`.execute(db)
  await sql`drop trigger records_resized on records`.execute(db)
  await sql`drop trigger records_unsized on records`.execute(db)
  await sql`drop function size_contents()`.execute(db)
  await sql`drop function resize_contents()`.execute(db)
  await sql`drop function resize_record()`.execute(db)
  await sql`drop function unsize_record()`.execute(db)
  await sql`drop function add_scope_size(text, record_type, memory_layer, boolean, bigint, bigint)`.execute(
    db,
  )
  await sql`drop function record_bytes(text[], jsonb, jsonb, jsonb)`.execute(db)
  await sql`drop function keeping_rank(double precision, double precision, double precision, double precision)`.execute(
    db,
  )
  await sql`drop table scope_sizes, budgets`.execute(db)
  await sql`alter table records drop column restored_at`.execute(db)
}

const statements = [
  `lock table records, contents in share row exclusive mode`,

  // The scope '' holds the default: it applies to each scope without a budget, and to the records without a scope.
  `create table budgets (
    scope text not null,
    max_records bigint,
    max_bytes bigint,
    protect text[] not null,
    mode text not null,
    constraint budgets_pkey primary key (scope),
    constraint budgets_scope_length check (char_length(scope) <= 256),
    constraint budgets_one_measure check (num_nonnulls(max_records, max_bytes) = 1),
    constraint budgets_limit check (max_records >= 0 and max_bytes >= 0),
    constraint budgets_mode check (mode in ('soft', 'hard'))
  )`,

  `create table scope_sizes (
    scope text not null,
    type record_type not null,
    layer memory_layer not null,
    is_guarded boolean not null,
    backend integer not null,
    records bigint not null,
    bytes bigint not null,
    constraint scope_sizes_pkey primary key (scope, type, layer, is_guarded, backend)
  ) with (fillfactor = 50)`,
  `comment on table scope_sizes is 'the records of each scope that are not forgotten'`,
  `comment on column scope_sizes.is_guarded is 'pinned, or with a policy other than auto_prune'`,
  `comment on column scope_sizes.backend is 'the process of the server that counts here; 0 is what the decay job added up'`,

  // The grace period of a budget starts again with a restore.
  `alter table records add column restored_at timestamptz`,

  // About the JSON of a record: its content, and the fields that every record has.
  `create function record_bytes(
    tags text[], payload jsonb, provenance jsonb, interpretation jsonb
  ) returns bigint language sql stable parallel safe as $$
    select 900::bigint + octet_length(tags::text) + octet_length(payload::text) + octet_length(provenance::text)
      + coalesce(octet_length(interpretation::text), 0)
  $$`,

  // log2 of worth^32 · salience, where worth is a quarter importance and the rest base importance, without the part of the salience that depends on the time: that part is equal for
  // all records of one half-life. A record without a decay_rank is ordered by its stored salience.
  `create function keeping_rank(
    importance double precision, base_importance double precision, decay_rank double precision,
    salience double precision
  ) returns double precision language sql immutable parallel safe as $$
    select 32 * ln(greatest((importance + 3 * base_importance) / 4, 1e-9::float8)) / ln(2::float8)
      + coalesce(decay_rank, ln(greatest(salience, 1e-200::float8)) / ln(2::float8))
  $$`,
  `create index records_keeping on records (
      scope, type, layer, (case when decay_rank is null then 0 else half_life_seconds end),
      keeping_rank(importance, base_importance, decay_rank, salience), id
    )
    where forgotten_at is null and not pinned and deletion_policy = 'auto_prune'`,

  // 64 locks for all scopes: a transaction may change many scopes, and the server has room for few locks of each.
  `create function add_scope_size(
    scope text, type record_type, layer memory_layer, is_guarded boolean, records bigint, bytes bigint
  ) returns void language sql as $$
    insert into scope_sizes as s (scope, type, layer, is_guarded, backend, records, bytes)
    values (scope, type, layer, is_guarded, pg_backend_pid(), records, bytes)
    on conflict on constraint scope_sizes_pkey
    do update set records = s.records + excluded.records, bytes = s.bytes + excluded.bytes
  $$`,
  `create function size_contents() returns trigger language plpgsql as $$
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
  $$`,
  `create function resize_contents() returns trigger language plpgsql as $$
    declare
      change bigint := record_bytes(new.tags, new.payload, new.provenance, new.interpretation)
        - record_bytes(old.tags, old.payload, old.provenance, old.interpretation);
      r records;
    begin
      if change = 0 then return null; end if;
      -- Locked, because a change of the record at the same time would count the old content.
      select * into r from records where id = new.record_id and forgotten_at is null for no key update;
      if not found then return null; end if;
      if change < 0 then perform pg_advisory_xact_lock_shared(7351, hashtext(r.scope) & 63); end if;
      perform add_scope_size(
        r.scope, r.type, r.layer, r.pinned or r.deletion_policy <> 'auto_prune', 0, change
      );
      return null;
    end
  $$`,
  `create function resize_record() returns trigger language plpgsql as $$
    declare
      size bigint;
    begin
      select record_bytes(c.tags, c.payload, c.provenance, c.interpretation) into size from contents as c where c.record_id = new.id;
      if not found then return null; end if;
      if old.forgotten_at is null then
        if new.forgotten_at is not null or new.scope <> old.scope then
          perform pg_advisory_xact_lock_shared(7351, hashtext(old.scope) & 63);
        end if;
        perform add_scope_size(
          old.scope, old.type, old.layer, old.pinned or old.deletion_policy <> 'auto_prune', -1, -size
        );
      end if;
      if new.forgotten_at is null then
        perform add_scope_size(
          new.scope, new.type, new.layer, new.pinned or new.deletion_policy <> 'auto_prune', 1, size
        );
      end if;
      return null;
    end
  $$`,
  // Before, because the deletion of a record deletes its contents.
  `create function unsize_record() returns trigger language plpgsql as $$
    declare
      size bigint;
    begin
      select record_bytes(c.tags, c.payload, c.provenance, c.interpretation) into size from contents as c where c.record_id = old.id;
      if not found then return old; end if;
      perform pg_advisory_xact_lock_shared(7351, hashtext(old.scope) & 63);
      perform add_scope_size(
        old.scope, old.type, old.layer, old.pinned or old.deletion_policy <> 'auto_prune', -1, -size
      );
      return old;
    end
  $$`,
  `create trigger contents_sized after insert on contents
    referencing new table as added for each statement execute function size_contents()`,
  `create trigger contents_resized after update of payload, provenance, tags, interpretation on contents
    for each row execute function resize_contents()`,
  `create trigger records_resized after update of forgotten_at, scope, layer, pinned, deletion_policy on records
    for each row when (
      (old.forgotten_at is null) <> (new.forgotten_at is null) or new.forgotten_at is null and (
        old.scope <> new.scope or old.layer <> new.layer or old.pinned <> new.pinned
        or old.deletion_policy <> new.deletion_policy
      )
    )
    execute function resize_record()`,
  `create trigger records_unsized before delete on records
    for each row when (old.forgotten_at is null) execute function unsize_record()`,

  `insert into scope_sizes (scope, type, layer, is_guarded, backend, records, bytes)
   select r.scope, r.type, r.layer, r.pinned or r.deletion_policy <> 'auto_prune', 0, count(*), sum(record_bytes(c.tags, c.payload, c.provenance, c.interpretation))
   from records as r join contents as c on c.record_id = r.id
   where r.forgotten_at is null
   group by 1, 2, 3, 4`,
]
