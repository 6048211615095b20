import { type Kysely, sql } from 'kysely'

/**
 * A row that a run updates is kept by one statement instead of two, which takes three fifths of the time.
 *
 * Locks: none that a reader or a writer waits for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(noteEffect(insertedAtOnce)).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql.raw(noteEffect(insertedThen)).execute(db)
}

// As in migration 0057.
const tableName = `regexp_replace(tg_table_name, '(_rest|_[0-9]+)+$', '')`

// An update that changes nothing is left out.
const insertedAtOnce = `
        if new_row = old_row then return null; end if;
        insert into run_effects (run_id, record_id, relation, before, after)
        select current_setting('membrane.effects')::uuid, (new_row ->> nullif(tg_argv[0], ''))::uuid, ${tableName},
          jsonb_object_agg(name, old_row -> name), jsonb_object_agg(name, value)
        from jsonb_each(new_row) as field (name, value)
        where value is distinct from old_row -> name or name = any(keys);
        return null;`

const insertedThen = `
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
