import { type Kysely, sql } from 'kysely'

/**
 * A process of the version before 0074 erases a record without its descent, which the deletion of the record removed then, and
 * without the reasons in the logs of other records. A trigger removes both in the same transaction, and what such processes left
 * since 0074 is removed too.
 *
 * An erase also removes the predicate of a relation with the erased record from the log of the other record. The name of the
 * change keeps the id, which decides who may read the entry.
 *
 * Locks: creating the triggers locks `departures` for a moment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const clear = [sources, derived, reasons]
  for (const statement of [
    ...clear.map((write) => write('departures')),
    `create function clear_erased() returns trigger language plpgsql as $$
    begin
      if exists (select from gone where kind = 'erased') then
        ${clear.map((write) => write('gone')).join(';\n')};
      end if;
      return null;
    end $$`,
    `comment on function clear_erased() is 'removes what a process of the version before 0074 leaves of an erased record'`,
    trigger('insert'),
    trigger('update'),
    erasePredicates,
    allow('(new.changes is null or new.changes in (old.changes, erase_predicates(old.changes)))'),
  ])
    await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql.raw(allow('(new.changes is null or new.changes = old.changes)')).execute(db)
  await sql`drop function erase_predicates(jsonb)`.execute(db)
  await sql`drop trigger departures_erased_update on departures`.execute(db)
  await sql`drop trigger departures_erased_insert on departures`.execute(db)
  await sql`drop function clear_erased()`.execute(db)
}

const trigger = (event: string) =>
  `create trigger departures_erased_${event} after ${event} on departures
    referencing new table as gone for each statement execute function clear_erased()`

const sources = (rows: string) =>
  `delete from descents as d using ${rows} as e where d.source_id = e.id and e.kind = 'erased'`

const derived = (rows: string) =>
  `delete from descents as d using ${rows} as e where d.derived_id = e.id and e.kind = 'erased'`

/** Each entry is looked up by an index. As a join, PostgreSQL may plan to read the whole log. */
const reasons = (rows: string) => `with operation as materialized (
    select distinct o.operation_id from ${rows} as e cross join lateral (
      select operation_id from audit_entries where record_id = e.id and operation_id is not null offset 0
    ) as o
    where e.kind = 'erased'
  ), entry as materialized (
    select a.* from operation cross join lateral (
      select record_id, id, at, rationale from audit_entries
      where operation_id = operation.operation_id and rationale <> '' offset 0
    ) as a
  ), move as (
    update status_changes as s set reason = ''
    from entry where s.record_id = entry.record_id and s.at = entry.at and s.reason = entry.rationale
  )
  update audit_entries as a set rationale = ''
  from entry where a.record_id = entry.record_id and a.id = entry.id and a.at = entry.at`

const erasePredicates = `create function erase_predicates(changes jsonb) returns jsonb language sql immutable as $$
    select jsonb_object_agg(
      regexp_replace(key, '^((?:incoming_)?relations)[.].*[.]([^.]{36})$', '\\1.erased.\\2'), value
    )
    from jsonb_each(changes)
  $$`

function allow(changes: string): string {
  return `create or replace function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if new.rationale = '' and ${changes}
          and to_jsonb(new) - array['rationale', 'changes'] = to_jsonb(old) - array['rationale', 'changes']
        then
          return new;
        end if;
      end if;
      raise exception 'audit entries are append-only';
    end
  $$`
}
