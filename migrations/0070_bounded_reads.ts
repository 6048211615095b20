import { type Kysely, sql } from 'kysely'

/**
 * Two reads no longer grow with what waits or was erased. The claims of a lost worker are found by an index of the
 * claimed episodes alone: a run of consolidation with a model read all episodes that wait for the model. `erased_among`
 * looks up each content by itself, where a plan for many contents read all tombstones.
 *
 * Locks: `unconsolidated` accepts no writes while the index is built, which reads the table once; it has an entry for
 * each stage that an episode waits for. Reads continue.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index unconsolidated_claimed on unconsolidated (stage) where claimed_until is not null`.execute(
    db,
  )
  await sql.raw(erasedAmong(byContent)).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql.raw(erasedAmong(byJoin)).execute(db)
  await sql`drop index unconsolidated_claimed`.execute(db)
}

const byJoin = `join tombstones t on t.scope = given.scope and t.digest = given.digest`

// The offset keeps the planner from joining the tables as a whole.
const byContent = `cross join lateral (
          select t.scope, t.digest from tombstones as t where t.scope = given.scope and t.digest = given.digest
          offset 0
        ) as t`

// Migration 0003 says why it locks.
function erasedAmong(found: string): string {
  return `create or replace function erased_among(own_key bytea, scopes text[], digests bytea[])
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
        ${found};
    end
  $$`
}
