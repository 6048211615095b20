import { type Kysely, sql } from 'kysely'

/**
 * What a run of a job did to each row, so that it can be applied later or taken back. Triggers write it only in a transaction
 * that has set `membrane.effects` to the id of a run: for every other writer a trigger is one comparison per row. New table;
 * each trigger locks its table for a moment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  for (const [table, { owner, key, events = 'insert or update or delete' }] of Object.entries(journalled)) {
    // A run that is only rehearsed leaves no log, so what it would log is kept too.
    const setting = events === 'insert' ? 'membrane.rehearsal' : 'membrane.effects'
    await sql
      .raw(
        `create trigger ${table}_effects after ${events} on ${table} for each row
          when (current_setting('${setting}', true) <> '')
          execute function note_effect('${owner}', '${key.join("', '")}')`,
      )
      .execute(db)
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of Object.keys(journalled))
    await sql.raw(`drop trigger ${table}_effects on ${table}`).execute(db)
  await sql`drop function note_effect()`.execute(db)
  await sql`drop table run_effects`.execute(db)
}

const life = [
  'version',
  'status',
  'pinned',
  'layer',
  'scope',
  'sensitivity',
  'base_salience',
  'anchored_at',
  'forgotten_at',
]

/** The column with the record that a row belongs to, and the columns that identify the row. */
const journalled: Record<string, { owner: string; key: readonly string[]; events?: string }> = {
  // The state that tells whether a record moved is always kept.
  records: { owner: 'id', key: ['id', ...life] },
  contents: { owner: 'record_id', key: ['record_id'] },
  relations: { owner: 'source_id', key: ['source_id', 'predicate', 'target_id'] },
  handles: { owner: 'record_id', key: ['record_id', 'digest', 'scope'] },
  entity_identifiers: {
    owner: 'record_id',
    key: ['record_id', 'namespace', 'value'],
  },
  descents: { owner: 'derived_id', key: ['derived_id', 'source_id'] },
  unconsolidated: { owner: 'record_id', key: ['record_id', 'stage'] },
  episode_tallies: { owner: 'episode_id', key: ['episode_id', 'stage'] },
  peer_cards: { owner: 'entity_id', key: ['entity_id'] },
  dream_verdicts: { owner: '', key: ['step', 'digest'] },
  belief_probes: { owner: 'record_id', key: ['record_id'] },
  drift_misses: { owner: 'record_id', key: ['record_id'] },
  embeddings: { owner: 'record_id', key: ['record_id', 'model_id'], events: 'update' },
  status_changes: { owner: 'record_id', key: ['id'], events: 'insert' },
  audit_entries: { owner: 'record_id', key: ['record_id', 'id'], events: 'insert' },
  importance_history: { owner: 'record_id', key: ['record_id', 'id'], events: 'insert' },
}

const statements = [
  `alter type audit_action add value if not exists 'undo'`,

  // No foreign keys: the rows of a run are deleted with it, and a record that is erased takes its rows along. What one
  // transaction wrote is a batch, which is applied or taken back together.
  `create table run_effects (
    id bigint generated always as identity,
    run_id uuid not null,
    batch xid8 not null default pg_current_xact_id(),
    record_id uuid,
    relation text not null,
    before jsonb,
    after jsonb,
    constraint run_effects_pkey primary key (run_id, id),
    constraint run_effects_something check (num_nonnulls(before, after) > 0)
  )`,
  `create index run_effects_record on run_effects (record_id)`,
  `comment on table run_effects is 'rows that a run wrote; of an updated row the columns that identify it and those that changed'`,
  // The arguments are the owner column and the columns of the key. An update that changes nothing is left out.
  `create function note_effect() returns trigger language plpgsql as $$
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
        tg_table_name, old_row, new_row
      );
      return null;
    end
  $$`,
]
