import { type Kysely, sql } from 'kysely'

/**
 * A process of the version before 0074 erases a record without its descent, which the deletion of the record removed then, and
 * without the reasons in the logs of other records. A trigger removes both in the same transaction, and what such processes left
 * since 0074 is removed too.
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
  ])
    await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
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
