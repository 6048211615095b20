import { type Kysely, sql } from 'kysely'

/**
 * The key that wrote an entry of the audit log, a change of status or a tombstone, beside the actor that the caller
 * names. Columns without a default: a short exclusive lock on each table and no rewrite, and older code continues to
 * write rows without them. The index serves imports that look for edges of other imports; its table is almost empty
 * between imports. The functions that protect the logs compare all columns, so they stay when the columns are
 * dropped.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index awaiting_edges_source`.execute(db)
  for (const table of tables) await sql`alter table ${sql.table(table)} drop column via`.execute(db)
}

const tables = ['tombstones', 'status_changes', 'audit_entries']

/** An erase clears the words of an entry. Nothing else of it changes, and neither does its key. */
function onlyBlanked(): string[] {
  return [
    `create or replace function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if new.rationale = '' and new.changes is null
          and to_jsonb(new) - array['rationale', 'changes'] = to_jsonb(old) - array['rationale', 'changes']
        then
          return new;
        end if;
      end if;
      raise exception 'audit entries are append-only';
    end
  $$`,
    `create or replace function refuse_status_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if new.reason = '' and to_jsonb(new) - 'reason' = to_jsonb(old) - 'reason' then
          return new;
        end if;
      end if;
      raise exception 'the history of a status is append-only';
    end
  $$`,
  ]
}

const statements = [
  ...tables.map((table) => `alter table ${table} add column via jsonb`),
  ...onlyBlanked(),
  `create index awaiting_edges_source on awaiting_edges (source_id, target_id)`,
]
