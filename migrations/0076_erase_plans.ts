import { type Kysely, sql } from 'kysely'

/**
 * The trigger that clears up after an erase of the version before 0074 read and sorted the whole log for each record, because
 * PostgreSQL expects many entries. Now it reads the log by the index of the records it found.
 *
 * Locks: none that a request would wait for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(define(byIndex)).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql.raw(define(() => '')).execute(db)
}

const byIndex = (column: string) => `${column} = any(array(select record_id from entry)) and `

const define = (
  restrict: (column: string) => string,
) => `create or replace function clear_erased() returns trigger
  language plpgsql as $$
  begin
    if exists (select from gone where kind = 'erased') then
      delete from descents as d using gone as e where d.source_id = e.id and e.kind = 'erased';
      delete from descents as d using gone as e where d.derived_id = e.id and e.kind = 'erased';
      with operation as materialized (
        select distinct o.operation_id from gone as e cross join lateral (
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
        from entry where ${restrict('s.record_id')}s.record_id = entry.record_id
          and s.at = entry.at and s.reason = entry.rationale
      )
      update audit_entries as a set rationale = ''
      from entry where ${restrict('a.record_id')}a.record_id = entry.record_id and a.id = entry.id and a.at = entry.at;
    end if;
    return null;
  end $$`
