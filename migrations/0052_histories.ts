import { type Kysely, sql } from 'kysely'

/**
 * The logs that only grow are partitioned by month: the audit log and the history of importance by their time, the changes
 * of runs by the id of the run, which begins with its time. A month is dropped as a whole, by `tend_history`.
 *
 * No row is copied: the table becomes a partition. A small one becomes the partition for everything without a month of its
 * own. One of 64 MB or more gets the bound that its rows have, so that it can be dropped later. To check the bound, it is
 * read once: 0.6 s for a million entries, with the statistics of the whole. Locks: readers and writers of the three tables wait meanwhile, and writers of
 * `maintenance_runs` for a moment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...cuts, noteEffect(historyName), ...histories.map(partition)])
    await sql.raw(statement).execute(db)
}

/** Copies the rows of all partitions back into one table. */
export async function down(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...histories.map(unite), noteEffect('tg_table_name')])
    await sql.raw(statement).execute(db)
  await sql`drop table history_cuts`.execute(db)
}

const cuts = [
  `create table history_cuts (
    history text not null,
    before timestamptz not null,
    constraint history_cuts_pkey primary key (history)
  )`,
  `comment on table history_cuts is 'the rows of a history before this moment were dropped'`,
]

const historyName = `regexp_replace(tg_table_name, '_(rest|[0-9]{6})$', '')`

/** A trigger of a partitioned table sees the name of the partition. */
function noteEffect(relation: string): string {
  return `create or replace function note_effect() returns trigger language plpgsql as $$
    declare
      old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
      new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
      keys text[] := tg_argv[1:];
      changed text[];
    begin
      if tg_op = 'UPDATE' then
        select array_agg(name) into changed
        from jsonb_object_keys(new_row) as name where new_row -> name is distinct from old_row -> name;
        if changed is null then return null; end if;
        select jsonb_object_agg(name, old_row -> name), jsonb_object_agg(name, new_row -> name)
        into old_row, new_row
        from unnest(changed || keys) as name;
      end if;
      insert into run_effects (run_id, record_id, relation, before, after) values (
        current_setting('membrane.effects')::uuid, (coalesce(new_row, old_row) ->> nullif(tg_argv[0], ''))::uuid,
        ${relation}, old_row, new_row
      );
      return null;
    end
  $$`
}

type History = {
  name: string
  key: string
  indexes: readonly string[]
  hasIdentity: boolean
  /** On the table, because a partition gets these from it. */
  rules: readonly string[]
  /** The triggers among them. */
  triggers: readonly string[]
}

const histories: readonly History[] = [
  {
    name: 'audit_entries',
    key: 'at',
    indexes: ['pkey'],
    hasIdentity: true,
    rules: [
      `create trigger audit_entries_append_only before update or delete on audit_entries
        for each row execute function refuse_audit_change()`,
      `create trigger audit_entries_kept before truncate on audit_entries
        for each statement execute function refuse_audit_change()`,
      effectsTrigger('audit_entries'),
    ],
    triggers: ['append_only', 'kept', 'effects'],
  },
  {
    name: 'importance_history',
    key: 'at',
    indexes: ['pkey', 'at'],
    hasIdentity: true,
    rules: [effectsTrigger('importance_history')],
    triggers: ['effects'],
  },
  {
    name: 'maintenance_changes',
    key: 'run_id',
    indexes: ['pkey'],
    hasIdentity: false,
    rules: [
      // Names the key of a change, so that a batch which is repeated lists it once.
      `alter table maintenance_changes add constraint maintenance_changes_pkey primary key (run_id, record_id, action)`,
      `alter table maintenance_changes add constraint maintenance_changes_run
        foreign key (run_id) references maintenance_runs (id) on delete cascade`,
    ],
    triggers: [],
  },
]

function effectsTrigger(name: string): string {
  return `create trigger ${name}_effects after insert on ${name} for each row
    when (current_setting('membrane.rehearsal', true) <> '')
    execute function note_effect('record_id', 'record_id', 'id')`
}

/**
 * The version before deletes rows by their place in the only table with rows. For a week at least, no other has any: until
 * then the last worker of that version must have stopped.
 */
const upperMonth = `date_trunc('month', (now() + interval '7 days') at time zone 'UTC')`

function partition({ name, key, indexes, hasIdentity, rules, triggers }: History): string {
  const rest = `${name}_rest`
  return `do $do$
    declare
      is_large constant boolean := pg_table_size('${name}') >= 64 * 1048576;
      month constant text := '${name}_' || to_char(${upperMonth}, 'YYYYMM');
      next_id bigint;
    begin
      lock table ${name} in access exclusive mode;
      ${hasIdentity ? `next_id := nextval(pg_get_serial_sequence('${name}', 'id'));` : ''}
      ${hasIdentity ? `alter table ${name} alter column id drop identity;` : ''}
      ${triggers.map((trigger) => `drop trigger ${name}_${trigger} on ${name};`).join(' ')}
      alter table ${name} rename to ${rest};
      ${indexes.map((index) => `alter index ${name}_${index} rename to ${rest}_${index};`).join(' ')}
      create table ${name} (like ${rest} including defaults including constraints including comments)
        partition by range (${key});
      ${hasIdentity ? `execute format('alter table ${name} alter column id add generated always as identity (start with %s)', next_id);` : ''}
      ${rules.map((rule) => `${rule};`).join(' ')}
      perform copy_statement_triggers('${name}', '${rest}');
      begin
        if not is_large then raise check_violation; end if;
        perform rename_history_partition('${rest}', month);
        execute format('alter table ${name} attach partition %I for values from (minvalue) to (%L)', month,
          history_bound('${name}', (${upperMonth} + interval '1 month') at time zone 'UTC'));
        perform create_history_partition('${name}', '${rest}', month, 'default');
      exception when check_violation then
        -- A clock was wrong once, and some rows are of the future.
        alter table ${name} attach partition ${rest} default;
      end;
      analyze ${name};
    end
  $do$`
}

function unite({ name, indexes, hasIdentity, rules }: History): string {
  const rest = `${name}_rest`
  return `do $do$
    declare
      next_id bigint;
    begin
      ${hasIdentity ? `next_id := nextval(pg_get_serial_sequence('${name}', 'id'));` : ''}
      alter table ${name} detach partition ${rest};
      insert into ${rest} select * from ${name};
      drop table ${name};
      alter table ${rest} rename to ${name};
      ${indexes.map((index) => `alter index ${rest}_${index} rename to ${name}_${index};`).join(' ')}
      ${hasIdentity ? `execute format('alter table ${name} alter column id add generated always as identity (start with %s)', next_id);` : ''}
      drop trigger if exists audit_entries_kept on ${name};
      ${rules
        .filter((rule) => rule.startsWith('create trigger'))
        .map((rule) => `${rule};`)
        .join(' ')}
    end
  $do$`
}
