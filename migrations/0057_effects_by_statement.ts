import { type Kysely, sql } from 'kysely'

/**
 * Contents, edges and counts that a run inserts, and what it takes off the list of episodes, are kept by one statement for all
 * rows of a statement. Kept row by row, the rows of a run took half of the time of a consolidation in the database. An updated row
 * is kept by two statements instead of three.
 *
 * Only rows that are collected anyway, or that cost an ordinary writer little, are collected: with the new rows of `records`,
 * `handles` and `descents` too, each create took a tenth more.
 *
 * Locks: the tables with a new trigger, for a moment. Readers and writers wait meanwhile.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(noteRows('note_inserted', { rows: 'added', column: 'after' })).execute(db)
  await sql.raw(noteRows('note_deleted', { rows: 'gone', column: 'before' })).execute(db)
  await sql.raw(noteEffect(updatedAtOnce)).execute(db)
  for (const [table, { owner, key, collected }] of Object.entries(journalled)) {
    const [rowEvents, transition] =
      collected === 'insert'
        ? ['update or delete', 'new table as added']
        : ['insert or update', 'old table as gone']
    const handler = collected === 'insert' ? 'note_inserted' : 'note_deleted'
    await sql.raw(`drop trigger ${table}_effects on ${table}`).execute(db)
    await sql.raw(rowTrigger({ table, owner, key, events: rowEvents })).execute(db)
    await sql
      .raw(
        `create or replace trigger ${table}_${collected}_effects after ${collected} on ${table}
          referencing ${transition} for each statement when (current_setting('membrane.effects', true) <> '')
          execute function ${handler}('${owner}')`,
      )
      .execute(db)
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const [table, { owner, key, collected }] of Object.entries(journalled)) {
    await sql.raw(`drop trigger ${table}_${collected}_effects on ${table}`).execute(db)
    await sql.raw(`drop trigger ${table}_effects on ${table}`).execute(db)
    await sql.raw(rowTrigger({ table, owner, key, events: 'insert or update or delete' })).execute(db)
  }
  await sql.raw(noteEffect(updatedInSteps)).execute(db)
  await sql`drop function note_deleted()`.execute(db)
  await sql`drop function note_inserted()`.execute(db)
}

type Journalled = {
  /** The column with the record that a row belongs to. */
  owner: string
  key: readonly string[]
  /** What runs do to many rows of the table at once. */
  collected: 'insert' | 'delete'
}

const journalled: Record<string, Journalled> = {
  contents: { owner: 'record_id', key: ['record_id'], collected: 'insert' },
  relations: { owner: 'source_id', key: ['source_id', 'predicate', 'target_id'], collected: 'insert' },
  unconsolidated: { owner: 'record_id', key: ['record_id', 'stage'], collected: 'delete' },
  episode_tallies: { owner: 'episode_id', key: ['episode_id', 'stage'], collected: 'insert' },
}

type RowTrigger = Omit<Journalled, 'collected'> & { table: string; events: string }

function rowTrigger({ table, owner, key, events }: RowTrigger): string {
  return `create trigger ${table}_effects after ${events} on ${table} for each row
    when (current_setting('membrane.effects', true) <> '')
    execute function note_effect('${owner}', '${key.join("', '")}')`
}

// As in migration 0054: neither the number of a shard nor the month of a partition is a part of the name.
const tableName = `regexp_replace(tg_table_name, '(_rest|_[0-9]+)+$', '')`

// The argument is the owner column. The offset keeps each row from being written as JSON twice.
function noteRows(name: string, { rows, column }: { rows: string; column: string }): string {
  return `create or replace function ${name}() returns trigger language plpgsql as $$
    begin
      insert into run_effects (run_id, record_id, relation, ${column})
      select current_setting('membrane.effects')::uuid, (content ->> tg_argv[0])::uuid, ${tableName}, content
      from (select to_jsonb(${rows}) as content from ${rows} offset 0) as noted;
      return null;
    end
  $$`
}

const updatedInSteps = `
        select array_agg(name) into changed
        from jsonb_object_keys(new_row) as name where new_row -> name is distinct from old_row -> name;
        if changed is null then return null; end if;
        select jsonb_object_agg(name, old_row -> name), jsonb_object_agg(name, new_row -> name)
        into old_row, new_row
        from unnest(changed || keys) as name;`

const updatedAtOnce = `
        if new_row = old_row then return null; end if;
        select jsonb_object_agg(name, old_row -> name), jsonb_object_agg(name, value)
        into old_row, new_row
        from jsonb_each(new_row) as field (name, value)
        where value is distinct from old_row -> name or name = any(keys);`

function noteEffect(updated: string): string {
  return `create or replace function note_effect() returns trigger language plpgsql as $$
    declare
      old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
      new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
      keys text[] := tg_argv[1:];
      changed text[];
    begin
      if tg_op = 'UPDATE' then${updated}
      end if;
      insert into run_effects (run_id, record_id, relation, before, after) values (
        current_setting('membrane.effects')::uuid, (coalesce(new_row, old_row) ->> nullif(tg_argv[0], ''))::uuid,
        ${tableName}, old_row, new_row
      );
      return null;
    end
  $$`
}
