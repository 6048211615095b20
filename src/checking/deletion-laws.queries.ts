import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { isLogged } from '../db/fragments/history-cuts.ts'
import { findBreaches } from './breaches.queries.ts'
import type { Finding } from './law.ts'

/** A purged or erased record is only in the tables that outlive it, and its id is not used again. */
export async function findReturnedRecords(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select d.id, not exists (select from records as r where r.id = d.id)
        and not exists (select from contents as c where c.record_id = d.id)
        and not exists (select from relations as e where e.source_id = d.id or e.target_id = d.id)
        and not exists (select from handles as h where h.record_id = d.id)
        and not exists (select from embeddings as v where v.record_id = d.id)
        and not exists (select from access_log as l where l.record_id = d.id)
        and (not ${isLogged(sql`d.created_at`)} or exists (select from audit_entries as a where a.record_id = d.id))
      from departures as d
    `,
  )
}

/**
 * The logs of an erased record keep who and when. Only the entry of the erasure keeps a reason. Its revisions keep none in the
 * logs of other records. Nothing names the conversation that it was a message of.
 */
export async function findErasedWords(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select d.id, d.conversation is null and not exists (
          select from audit_entries as a
          where a.record_id = d.id and a.action <> 'erase' and (a.rationale <> '' or a.changes is not null)
        )
        and not exists (select from status_changes as s where s.record_id = d.id and s.reason <> '')
        and not exists (
          select from audit_entries as own join audit_entries as a on a.operation_id = own.operation_id
          where own.record_id = d.id and own.operation_id is not null and a.rationale <> ''
        )
        and (not ${isLogged(sql`d.departed_at`)}
          or exists (select from audit_entries as a where a.record_id = d.id and a.action = 'erase'))
      from departures as d
      where d.kind = 'erased'
    `,
  )
}

/** No stored answer contains an erased record, or names the speaker of an erased message that it lists. */
export async function findErasedAnswers(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select each.key, not exists (
        select from departures as d
        where d.kind = 'erased' and each.quoted @> array[d.id::text]
      )
      from (
        select k.key, array(
          select quoted ->> 'id'
          from (
            select k.body::jsonb as quoted
            union all select k.body::jsonb -> 'record'
            union all select k.body::jsonb -> 'primary_record'
            union all select k.body::jsonb -> 'structuredContent' -> 'record'
            union all select jsonb_array_elements(case jsonb_typeof(k.body::jsonb -> 'created_records')
              when 'array' then k.body::jsonb -> 'created_records' end)
            union all select jsonb_array_elements(case jsonb_typeof(k.body::jsonb -> 'results')
              when 'array' then k.body::jsonb -> 'results' end) -> 'record'
          ) as quoting
          where quoted ? 'payload'
          union all
          select item ->> 'record_id'
          from jsonb_array_elements(case jsonb_typeof(k.body::jsonb -> 'items')
            when 'array' then k.body::jsonb -> 'items' end) as item
          where k.body::jsonb -> 'conversation' ? 'speakers'
        ) as quoted
        from idempotency_keys as k
        where k.body is not null and exists (select from departures where kind = 'erased')
      ) as each
    `,
  )
}

/** Tombstones of another key match nothing, and nothing could be written beside them. */
export async function findForeignTombstones(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`select t.id, t.key_id = (select key_id from tombstones order by created_at, id limit 1) from tombstones as t`,
  )
}
