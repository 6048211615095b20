import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { AccessKind } from '../db/schema.ts'

export type Access = { record_id: string; at: Date; kind: AccessKind; actor: string }

/**
 * Logs accesses and counts them on their records, in one statement. `version` and `updated_at` stay, because a read
 * changes nothing. Rows are locked in the order of ids, as every writer does; records that were deleted meanwhile are
 * skipped. A record whose vector was compressed for lack of use is queued for a new one.
 */
export async function logAccesses(db: Database, accesses: readonly Access[]): Promise<void> {
  await sql`
    with noted as materialized (
      select * from json_to_recordset(${JSON.stringify(accesses)}::json) as noted (
        record_id uuid, at timestamptz, kind access_kind, actor text
      )
    ), locked as materialized (
      select r.id from records as r
      where r.id in (select record_id from noted)
      order by r.id
      for no key update
    ), counted as (
      update records as r
      set access_count = r.access_count + n.times, served_count = r.served_count + n.served,
        last_accessed_at = greatest(r.last_accessed_at, n.latest)
      from (
        select n.record_id, count(*)::integer as times, max(n.at) as latest,
          (count(*) filter (where n.kind = 'served'))::integer as served
        from noted as n join locked as l on l.id = n.record_id
        group by n.record_id
      ) as n
      where r.id = n.record_id
    ), sharpened as (
      insert into unembedded (record_id, asked_at, due_at)
      select e.record_id, max(n.at), max(n.at)
      from embeddings as e
      join embedding_models as m on m.id = e.model_id and m.embeds
      join locked as l on l.id = e.record_id
      join noted as n on n.record_id = e.record_id
      where e.bits < 32
      group by e.record_id
      on conflict (record_id) do nothing
    )
    insert into access_log (record_id, at, kind, actor)
    select n.record_id, n.at, n.kind, n.actor from noted as n join locked as l on l.id = n.record_id
  `.execute(db)
}

/** Logs a use. The change that caused it has already counted it on the record. */
export async function insertUse(
  tx: Database,
  id: string,
  { at, actor }: { at: Date; actor: string },
): Promise<void> {
  await tx.insertInto('access_log').values({ record_id: id, at, kind: 'used', actor }).execute()
}
