import { type Kysely, sql } from 'kysely'

/**
 * For a schema that Citus keeps on one of its nodes, where each table is a shard: a table with another name and another row
 * type, and a planner that joins no transition table with others. So a salience is computed from columns, and two triggers
 * take the rows of their statement before they read tables. On PostgreSQL alone the trigger of new contents does what it
 * did before. `salience_at(records, …)` stays for processes of the version before.
 *
 * Locks: none that a reader or a writer waits for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const statement of reverse) await sql.raw(statement).execute(db)
}

const life = `pinned boolean, base_salience double precision, expires_at timestamptz, curve decay_curve,
  anchored_at timestamptz, half_life_seconds bigint, min_salience double precision`

// The name is resolved now, not where the function is called, and the planner can inline it.
const salienceOfColumns = `create function salience_at(${life}, instant timestamptz) returns double precision
  language sql immutable parallel safe
  return case
    when pinned then base_salience
    when expires_at <= instant or base_salience < 1e-200 then 0
    else greatest(
      base_salience * fading_factor(
        curve, least(greatest(date_part('epoch', instant - anchored_at), 0) / half_life_seconds, 64)
      ),
      least(min_salience, base_salience)
    )
  end`

const sizeOfAdded = `insert into scope_sizes as s (scope, type, layer, is_guarded, backend, records, bytes)
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
        do update set records = s.records + excluded.records, bytes = s.bytes + excluded.bytes;`

// Two statements in every case cost a create 10 µs.
const sizeContents = `create or replace function size_contents() returns trigger language plpgsql as $$
    declare
      ids uuid[];
      sizes bigint[];
      stored record;
    begin
      if tg_table_name = 'contents' then
        ${sizeOfAdded}
        return null;
      end if;
      select array_agg(record_id), array_agg(record_bytes(tags, payload, provenance, interpretation))
      into ids, sizes from added;
      for stored in
        select * from records join unnest(ids, sizes) as given (record_id, bytes) on given.record_id = id
        where forgotten_at is null
        order by scope, type, layer, id
      loop
        perform add_scope_size(
          stored.scope, stored.type, stored.layer, stored.pinned or stored.deletion_policy <> 'auto_prune', 1, stored.bytes
        );
      end loop;
      return null;
    end
  $$`

const unlistGone = `create or replace function unlist_gone_episodes() returns trigger language plpgsql as $$
    declare
      episodes uuid[];
    begin
      select array_agg(id) into episodes from gone where type = 'episodic';
      if episodes is not null then delete from unconsolidated where record_id = any(episodes); end if;
      return null;
    end
  $$`

// Neither the number of a shard nor the month of a partition is a part of the name of the table.
const partition = "'_(rest|[0-9]{6})$'"
const partitionOrShard = "'(_rest|_[0-9]+)+$'"

const statements = [
  salienceOfColumns,
  sizeContents,
  unlistGone,
  rewrite('note_effect()', partition, partitionOrShard),
]

const reverse = [
  rewrite('note_effect()', partitionOrShard, partition),
  `create or replace function unlist_gone_episodes() returns trigger language plpgsql as $$
    begin
      delete from unconsolidated where record_id in (select id from gone where type = 'episodic');
      return null;
    end
  $$`,
  `create or replace function size_contents() returns trigger language plpgsql as $$
    begin
      ${sizeOfAdded}
      return null;
    end
  $$`,
  `drop function salience_at(boolean, double precision, timestamptz, decay_curve, timestamptz, bigint, double precision,
    timestamptz)`,
]

function rewrite(name: string, before: string, after: string): string {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
  return `do $do$
    begin
      execute replace(pg_get_functiondef('${name}'::regprocedure), ${quote(before)}, ${quote(after)});
    end
  $do$`
}
