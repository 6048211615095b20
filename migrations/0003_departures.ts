import { type Kysely, sql } from 'kysely'

/** What remains of purged and erased records, and the tombstones that keep erased content from being stored again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop function erased_among(bytea, text[], bytea[])`.execute(db)
  await sql`drop table tombstones, departures`.execute(db)
  await sql`drop type departure_kind`.execute(db)
  await sql
    .raw(
      `create or replace function refuse_audit_change() returns trigger language plpgsql as $$
        begin
          raise exception 'audit entries are append-only';
        end
      $$`,
    )
    .execute(db)
}

const statements = [
  `create type departure_kind as enum ('purged', 'erased')`,

  // No content: its trust, when and why it was removed, and the numbers of its decay. The id of a record is never
  // used again.
  `create table departures (
    id uuid not null,
    created_at timestamptz not null,
    departed_at timestamptz not null,
    scope text not null,
    run_id uuid,
    type record_type not null,
    sensitivity sensitivity not null,
    kind departure_kind not null,
    reason text not null,
    actor text not null,
    numbers jsonb not null,
    constraint departures_pkey primary key (id)
  )`,

  // key_id identifies the key of the digest. Under another key the digest would match nothing, without an error.
  `create table tombstones (
    id uuid not null,
    created_at timestamptz not null,
    scope text not null,
    digest bytea not null,
    key_id bytea not null,
    actor text not null,
    constraint tombstones_pkey primary key (id),
    constraint tombstones_content unique (scope, digest),
    constraint tombstones_digest_length check (octet_length(digest) = 32)
  )`,
  `create index tombstones_created_at on tombstones (created_at desc, id desc)`,
  `create index tombstones_key_id on tombstones (key_id)`,

  // Returns which of the given contents were erased. The lock is shared by transactions that store and exclusive to
  // one that erases, until the transaction ends: a content is stored before an erase begins or not at all. Each
  // statement of a volatile function has its own snapshot, so it reads what was committed when the lock was granted,
  // not when the calling statement began.
  `create function erased_among(own_key bytea, scopes text[], digests bytea[])
    returns table (erased_scope text, erased_digest bytea)
    language plpgsql volatile rows 1 as $$
    begin
      perform pg_advisory_xact_lock_shared(7350, 3);
      if not exists (select from tombstones) then
        return;
      end if;
      if own_key is null or exists (select from tombstones where key_id < own_key)
        or exists (select from tombstones where key_id > own_key)
      then
        raise exception 'there are tombstones of another key' using errcode = 'MBT01';
      end if;
      return query
        select t.scope, t.digest
        from unnest(scopes, digests) as given (scope, digest)
        join tombstones t on t.scope = given.scope and t.digest = given.digest;
    end
  $$`,

  // An erase removes the words from the log of a record and keeps who did what and when.
  `create or replace function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if new.rationale = '' and new.changes is null
          and (new.record_id, new.id, new.run_id, new.at, new.action, new.actor)
            is not distinct from (old.record_id, old.id, old.run_id, old.at, old.action, old.actor)
        then
          return new;
        end if;
      end if;
      raise exception 'audit entries are append-only';
    end
  $$`,
]
