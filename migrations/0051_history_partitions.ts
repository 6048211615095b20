import { type Kysely, sql } from 'kysely'

/**
 * Functions for tables that are partitioned by month. The partition `x_202611` of the table `x` ends with November 2026, in
 * UTC, and begins where the one before it ends. `x_rest` takes what has no month: every row of a small store, and whatever
 * is written while no worker runs. So no insert fails for lack of a partition.
 *
 * Locks: none that a reader or a writer waits for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`
    drop function tend_history(text, timestamptz, timestamptz, bigint),
      prepare_history_month(text, timestamptz, timestamptz), divide_history_rest(text, timestamptz, timestamptz),
      drop_history_months(text, timestamptz), analyze_history(text), create_history_partition(text, text, text, text),
      rename_history_partition(text, text), copy_statement_triggers(text, text), history_months(text),
      history_column(text), history_bound(text, timestamptz), first_id_at(timestamptz), start_of_month(timestamptz)
  `.execute(db)
}

const statements = [
  `create function start_of_month(moment timestamptz) returns timestamptz language sql immutable parallel safe as $$
    select date_trunc('month', moment at time zone 'UTC') at time zone 'UTC'
  $$`,

  // The least UUID of version 7 of a moment.
  `create function first_id_at(moment timestamptz) returns uuid language sql immutable parallel safe as $$
    select rpad(lpad(to_hex(greatest(0, floor(date_part('epoch', moment - timestamptz '1970-01-01 00:00:00+00') * 1000))::bigint),
      12, '0'), 32, '0')::uuid
  $$`,

  `create function history_column(history text) returns name language sql stable as $$
    select a.attname
    from pg_partitioned_table as p join pg_attribute as a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
    where p.partrelid = history::regclass
  $$`,

  // A moment as a value of the column by which the table is partitioned.
  `create function history_bound(history text, moment timestamptz) returns text language sql stable as $$
    select case a.atttypid when 'uuid'::regtype then first_id_at(moment)::text else moment::text end
    from pg_partitioned_table as p join pg_attribute as a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
    where p.partrelid = history::regclass
  $$`,

  `create function history_months(history text) returns table (partition text, upper_bound timestamptz)
    language sql stable as $$
    select c.relname::text, (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC'
    from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
    where i.inhparent = history::regclass and c.relname ~ '_[0-9]{6}$'
    order by 2
  $$`,

  // A trigger for each statement is not inherited: without it a partition could be emptied by its own name.
  `create function copy_statement_triggers(history text, partition text) returns void language plpgsql as $$
    declare
      definition text;
    begin
      for definition in
        select pg_get_triggerdef(oid) from pg_trigger
        where tgrelid = history::regclass and not tgisinternal and tgtype & 1 = 0
          and not exists (select from pg_trigger as t where t.tgrelid = partition::regclass and t.tgname = pg_trigger.tgname)
      loop
        execute regexp_replace(definition, ' ON \\S+ ', format(' ON %I ', partition));
      end loop;
    end
  $$`,

  `create function rename_history_partition(partition text, name text) returns void language plpgsql as $$
    declare
      index text;
    begin
      execute format('alter table %I rename to %I', partition, name);
      for index in select indexrelid::regclass::name from pg_index where indrelid = name::regclass loop
        execute format('alter index %I rename to %I', index, name || substr(index, length(partition) + 1));
      end loop;
    end
  $$`,

  // The new partition has the columns, rules, indexes and triggers of the model.
  `create function create_history_partition(history text, partition text, model text, bounds text)
    returns void language plpgsql as $$
    declare
      index record;
    begin
      execute format('create table %I (like %I including all excluding identity excluding indexes)', partition, model);
      for index in
        select partition || substr(c.relname, length(model) + 1) as name, pg_get_indexdef(c.oid) as definition,
          pg_get_constraintdef(k.oid) as key
        from pg_index as i join pg_class as c on c.oid = i.indexrelid
        left join pg_constraint as k on k.conindid = c.oid and k.contype = 'p' and k.conrelid = i.indrelid
        where i.indrelid = model::regclass
      loop
        if index.key is null then
          execute regexp_replace(index.definition, ' INDEX \\S+ ON \\S+ ', format(' INDEX %I ON %I ', index.name, partition));
        else
          execute format('alter table %I add constraint %I %s', partition, index.name, index.key);
        end if;
      end loop;
      perform copy_statement_triggers(history, partition);
      execute format('alter table %I attach partition %I %s', history, partition, bounds);
    end
  $$`,

  `create function drop_history_months(history text, cut timestamptz) returns integer language plpgsql as $$
    declare
      month record;
      dropped integer := 0;
    begin
      for month in select * from history_months(history) where upper_bound <= cut loop
        execute format('drop table %I', month.partition);
        insert into history_cuts as c values (history, month.upper_bound)
        on conflict on constraint history_cuts_pkey do update set before = greatest(c.before, excluded.before);
        dropped := dropped + 1;
      end loop;
      return dropped;
    end
  $$`,

  // Makes the rest a partition that ends with the month of the moment, and begins another. Rows of other times are written
  // again to where they belong, or left out when they are older than the cut.
  `create function divide_history_rest(history text, moment timestamptz, cut timestamptz) returns void language plpgsql as $$
    declare
      rest constant text := history || '_rest';
      month constant text := history || '_' || to_char(moment at time zone 'UTC', 'YYYYMM');
      has_month constant boolean := exists (select from history_months(history) where partition >= month);
      taken constant text := case when has_month then rest || '_before' else month end;
      from_bound constant text := (select history_bound(history, max(upper_bound)) from history_months(history));
      to_bound constant text := history_bound(history, start_of_month(start_of_month(moment) + interval '40 days'));
      key constant name := history_column(history);
    begin
      execute format('alter table %I detach partition %I', history, rest);
      perform rename_history_partition(rest, taken);
      perform create_history_partition(history, rest, taken, 'default');
      execute format('with stray as (delete from %I where %L or %I >= %L or %I < %L returning *)
        insert into %I overriding system value select * from stray where %L or %I >= %L',
        taken, has_month, key, to_bound, key, coalesce(from_bound, history_bound(history, cut)),
        history, cut is null, key, history_bound(history, cut));
      if has_month then
        execute format('drop table %I', taken);
      else
        execute format('alter table %I attach partition %I for values from (%s) to (%L)', history, taken,
          coalesce(quote_literal(from_bound), 'minvalue'), to_bound);
      end if;
      if cut is not null then
        insert into history_cuts as c values (history, cut)
        on conflict on constraint history_cuts_pkey do update set before = greatest(c.before, excluded.before);
      end if;
    end
  $$`,

  // Statistics of a partitioned table are nobody's task: autovacuum reads the partitions one by one.
  `create function analyze_history(history text) returns boolean language plpgsql set lock_timeout = '200ms' as $$
    declare
      known float8;
      stored float8;
    begin
      select p.reltuples, sum(greatest(c.reltuples, 0)) into known, stored
      from pg_class as p join pg_inherits as i on i.inhparent = p.oid join pg_class as c on c.oid = i.inhrelid
      where p.oid = history::regclass
      group by p.oid, p.reltuples;
      if abs(stored - greatest(known, 0)) <= 1000 + 0.2 * stored then return false; end if;
      execute format('analyze %I', history);
      return true;
    exception when lock_not_available then return false;
    end
  $$`,

  // Drops the months that ended before keep_from, divides the rest and prepares the next month. Returns the number of months
  // dropped, or null when a lock was not free at once: then nothing was done, and the next call tries again. A history that
  // is kept for ever is divided once its rest has least_bytes, so that a small store has one partition.
  `create function tend_history(history text, moment timestamptz, keep_from timestamptz, least_bytes bigint)
    returns integer language plpgsql set lock_timeout = '200ms' as $$
    declare
      rest constant text := history || '_rest';
      next_month constant timestamptz := start_of_month(start_of_month(moment) + interval '40 days');
      after_next constant timestamptz := start_of_month(next_month + interval '40 days');
      cut constant timestamptz := start_of_month(keep_from);
      key constant name := history_column(history);
      newest record;
      is_due boolean;
      referenced regclass;
      dropped integer := 0;
    begin
      if not pg_try_advisory_xact_lock(7352 # lock_seed(), 0) then return null; end if;
      select * into newest from history_months(history) order by upper_bound desc limit 1;
      if keep_from is null then
        is_due := pg_table_size(rest::regclass) >= least_bytes and coalesce(newest.upper_bound < next_month, true);
      else
        execute format('select exists (select from %I where %I < %L)', rest, key,
          history_bound(history, case when newest.upper_bound >= next_month then cut else next_month end))
        into is_due;
      end if;
      if is_due or exists (select from history_months(history) where upper_bound <= cut) then
        -- To detach a partition changes the triggers of what it refers to. First, because writers take the locks in this order.
        for referenced in
          select confrelid from pg_constraint
          where is_due and conrelid = history::regclass and contype = 'f' and conparentid = 0
        loop
          execute format('lock table %s in access exclusive mode', referenced);
        end loop;
        execute format('lock table %I in access exclusive mode', history);
        dropped := drop_history_months(history, cut);
        if is_due then perform divide_history_rest(history, moment, cut); end if;
      end if;
      perform prepare_history_month(history, next_month, after_next);
      return dropped;
    exception when lock_not_available then return null;
    end
  $$`,

  // Only where the month before has rows: a store that is not used gets no more partitions. A row of that month that is in
  // the rest already stays there until the rest is divided.
  `create function prepare_history_month(history text, from_moment timestamptz, to_moment timestamptz)
    returns void language plpgsql as $$
    declare
      newest record;
      is_used boolean;
    begin
      select * into newest from history_months(history) order by upper_bound desc limit 1;
      if newest.upper_bound is distinct from from_moment then return; end if;
      execute format('select exists (select from %I)', newest.partition) into is_used;
      if not is_used then return; end if;
      perform create_history_partition(history, history || '_' || to_char(from_moment at time zone 'UTC', 'YYYYMM'),
        history || '_rest', format('for values from (%L) to (%L)', history_bound(history, from_moment),
          history_bound(history, to_moment)));
    exception when check_violation then null;
    end
  $$`,
]
