import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { hasIdOf } from '../../db/fragments/id-condition.ts'
import type { AccessKind } from '../../db/schema.ts'
import type { Transaction } from '../../db/transaction.ts'

/** `key_id` is the key that was shown the record. It is not the actor, which the caller names. */
export type Access = { record_id: string; at: Date; actor: string } & (
  | { kind: Extract<AccessKind, 'served'>; key_id: string }
  | { kind: Extract<AccessKind, 'used'> }
)

/** The table has a unique index of the record, the key and this day. */
const selectDay = (instant: RawBuilder<unknown>) => sql`(${instant} at time zone 'UTC')::date`

/**
 * Logs accesses, counts them on their records and returns the ids of these, in one statement. A key that is shown a
 * record again on the same UTC day changes nothing: reading in a loop must not keep a record. `version` and `updated_at`
 * stay, because a read changes nothing. Rows are locked in the order of ids, as every writer does; records that were
 * deleted meanwhile are skipped. A record whose vector was compressed for lack of use is queued for a new one. The ids are
 * given as arrays: before the first analyze the planner would join all records.
 */
export async function logAccesses(db: Database, accesses: readonly Access[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with new_access as materialized (
      select * from json_to_recordset(${JSON.stringify(accesses)}::json) as n (
        record_id uuid, at timestamptz, kind access_kind, actor text, key_id text
      )
      where not exists (
        select from access_log as l
        where l.record_id = n.record_id and l.key_id = n.key_id and ${selectDay(sql`l.at`)} = ${selectDay(sql`n.at`)}
      )
    ), locked as materialized (
      select r.id from records as r
      where ${hasIdOf('new_access', 'r.id', 'record_id')}
      order by r.id
      for no key update
    ), logged as (
      insert into access_log (record_id, at, kind, actor, key_id)
      select n.record_id, n.at, n.kind, n.actor, n.key_id from new_access as n join locked as l on l.id = n.record_id
      on conflict do nothing
      returning record_id, at, kind
    ), counted as (
      update records as r
      set access_count = r.access_count + n.times, served_count = r.served_count + n.served,
        last_accessed_at = greatest(r.last_accessed_at, n.latest)
      from (
        select n.record_id, count(*)::integer as times, max(n.at) as latest,
          (count(*) filter (where n.kind = 'served'))::integer as served
        from logged as n
        group by n.record_id
      ) as n
      where r.id = n.record_id and ${hasIdOf('logged', 'r.id', 'record_id')}
      returning r.id
    ), requeued as (
      insert into unembedded (record_id, asked_at, due_at)
      select e.record_id, max(n.at), max(n.at)
      from embeddings as e
      join embedding_models as m on m.id = e.model_id and m.embeds
      join logged as n on n.record_id = e.record_id
      where e.bits < 32 and ${hasIdOf('logged', 'e.record_id', 'record_id')}
      group by e.record_id
      on conflict (record_id) do nothing
    )
    select id from counted order by id
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** Logs a use. The change that caused it has already counted it on the record. */
export async function insertUse(
  tx: Transaction,
  id: string,
  { at, actor }: { at: Date; actor: string },
): Promise<void> {
  await tx.insertInto('access_log').values({ record_id: id, at, kind: 'used', actor }).execute()
}
