import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

/**
 * Removes from the logs of other records the reasons that may quote the erased ones: the reason of a revision or a merge with an erased
 * record, of a contest by one and of its end, and of a relation with one, together with its predicate. The logs keep who changed what
 * and when. Call it while the edges are there. Returns the ids of the other records.
 *
 * The logs are read by the index of these records. As a plain join, PostgreSQL expects many entries and reads and sorts all logs.
 */
export async function clearSharedReasons(tx: Transaction, erasedIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with erased as materialized (
      select unnest(${erasedIds}::uuid[]) as id
    ), edge as (
      select e.source_id as id, e.predicate, e.created_at from erased join relations as e on e.target_id = erased.id
      union
      select e.target_id, e.predicate, e.created_at from erased join relations as e on e.source_id = erased.id
      union
      select e.target_id, 'superseded_by', e.created_at
      from erased join relations as own on own.target_id = erased.id and own.predicate = 'supersedes'
      join relations as e
        on e.source_id = own.source_id and e.predicate = own.predicate and e.created_at = own.created_at
    ), entry as materialized (
      select a.record_id, a.id, a.at, a.rationale, false as names_erased from audit_entries as a
      where a.rationale <> '' and a.operation_id in (
        select o.operation_id from audit_entries as o
        where o.record_id in (select id from erased) and o.operation_id is not null
      )
      union
      select a.record_id, a.id, a.at, a.rationale, a.names_erased
      from edge join records as r on r.id = edge.id and r.version > 1
      cross join lateral (
        select *, exists (
          select from jsonb_object_keys(changes) as named (key) where right(key, 36) in (select id::text from erased)
        ) as names_erased
        from audit_entries
        where record_id = edge.id and at >= edge.created_at and action <> 'create' and rationale <> ''
        offset 0
      ) as a
      where a.names_erased
        or edge.predicate in ('contested_by', 'superseded_by') and a.at = edge.created_at
        or edge.predicate = 'contested_by'
          and a.changes -> 'payload.revision.status' = '["contested", "active"]'
    ), move as (
      update status_changes as s set reason = ''
      from entry where s.record_id = any(array(select record_id from entry))
        and s.record_id = entry.record_id and s.at = entry.at and s.reason = entry.rationale
    ), cleared as (
      update audit_entries as a
      set rationale = '',
        changes = case when entry.names_erased then erase_predicates(a.changes) else a.changes end
      from entry where a.record_id = any(array(select record_id from entry))
        and a.record_id = entry.record_id and a.id = entry.id and a.at = entry.at
    )
    select distinct record_id as id from entry where record_id not in (select id from erased) order by id
  `.execute(tx)
  return rows.map(({ id }) => id)
}
