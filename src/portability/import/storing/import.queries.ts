import { sql } from 'kysely'
import { writeJsonRows } from '../../../db/fragments/json/json-rows.ts'
import { openTo } from '../../../db/fragments/visibility.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { Trust, Via } from '../../../domain/trust/caller.ts'
import type { ContentRow, Descent, RecordRow } from '../../../records/index.ts'
import type { ImportedRecord } from '../../portability.schemas.ts'
import { mayLinkTo } from './import-edges.queries.ts'

/** The stored record that a line is compared with. */
export type ExistingRecord = ContentRow &
  Pick<RecordRow, 'id' | 'type' | 'scope' | 'sensitivity' | 'confidence' | 'created_at' | 'version'> & {
    is_later: boolean
  }

/** The id and the version of a line, and the newest entry of its log. */
export type LineState = Pick<RecordRow, 'id' | 'version'> & {
  newest?:
    | Pick<NonNullable<ImportedRecord['audit_log']>[number], 'timestamp' | 'action' | 'actor'>
    | undefined
}

/**
 * Includes forgotten records. Records that the caller does not see whole are not found, so they are not compared. Each is
 * looked up by itself: a plan that was made while the tables were small would read all of both at each portion. `is_later` is true when
 * the record was in the state of the line before: then its log has the newest entry of the line.
 */
export async function findExisting(
  tx: Transaction,
  lines: readonly LineState[],
  trust: Trust,
): Promise<ExistingRecord[]> {
  const newest = lines.map((line) => line.newest)
  const { rows } = await sql<ExistingRecord>`
    select r.id, r.type, r.scope, r.sensitivity, r.confidence, r.created_at, r.version,
      c.tags, c.payload, c.provenance, c.interpretation,
      case when r.version > requested.version then exists (
        select from audit_entries as a
        where a.record_id = r.id and a.at = requested.at and a.action = requested.action and a.actor = requested.actor
      ) else false end as is_later
    from unnest(
      ${lines.map(({ id }) => id)}::uuid[], ${lines.map(({ version }) => version)}::int4[],
      ${newest.map((entry) => entry?.timestamp ?? null)}::timestamptz[],
      ${newest.map((entry) => entry?.action ?? null)}::audit_action[],
      ${newest.map((entry) => entry?.actor ?? null)}::text[]
    ) as requested (id, version, at, action, actor)
    cross join lateral (select * from records where id = requested.id limit 1) as r
    cross join lateral (select * from contents where record_id = r.id limit 1) as c
    where ${openTo(trust)}
  `.execute(tx)
  return rows
}

export type HandlePlace = { digest: Buffer; scope: string; place: number }

/** Returns the places among the records of one name that are taken already. */
export async function findTakenPlaces(
  tx: Transaction,
  places: readonly HandlePlace[],
): Promise<HandlePlace[]> {
  const { rows } = await sql<HandlePlace>`
    select h.digest, h.scope, h.place
    from unnest(
      ${places.map(({ digest }) => digest)}::bytea[], ${places.map(({ scope }) => scope)}::text[],
      ${places.map(({ place }) => place)}::int4[]
    ) as requested (digest, scope, place)
    join handles as h on h.digest = requested.digest and h.scope = requested.scope and h.place = requested.place
  `.execute(tx)
  return rows
}

type HistoryField =
  | 'forgotten'
  | 'served_count'
  | 'demoted_at'
  | 'audit_log'
  | 'status_history'
  | 'importance_history'
  | 'access_log'
  | 'access_days'
  | 'surprise'
  | 'consolidation'
export type ImportedHistory = { id: string; created_at: Date } & {
  [K in HistoryField]: ImportedRecord[K] | undefined
}

/**
 * Writes the histories of records that were just stored, in the given order. Each log entry gets the importing key,
 * so that an imported entry cannot pass for one of this service. The stages that a new episode waits for are replaced
 * by those of the line.
 */
export async function insertHistories(
  tx: Transaction,
  importer: Via | null,
  pasts: readonly ImportedHistory[],
): Promise<void> {
  if (pasts.length === 0) return
  const imported = sql`${JSON.stringify({ imported_by: importer })}::jsonb`
  await sql`
    with past as materialized (
      select * from json_to_recordset(${writeJsonRows(pasts.map((past, place) => ({ ...past, place })))}::json) as past (
        id uuid, created_at timestamptz, forgotten json, served_count int4, demoted_at timestamptz, audit_log json,
        status_history json, importance_history json, access_log json, access_days int4, surprise json,
        consolidation json, place int8
      )
    ), changed as (
      update records as r
      set served_count = coalesce(p.served_count, 0), demoted_at = p.demoted_at,
        forgotten_at = (p.forgotten ->> 'at')::timestamptz, forgotten_reason = p.forgotten ->> 'reason',
        forgotten_by = p.forgotten ->> 'actor', forgotten_run_id = (p.forgotten ->> 'run_id')::uuid,
        purge_at = (p.forgotten ->> 'purge_at')::timestamptz
      from past as p
      where r.id = p.id and (p.forgotten is not null or p.demoted_at is not null or p.served_count > 0)
    ), entry as (
      insert into audit_entries (record_id, run_id, operation_id, at, action, actor, rationale, changes, via)
      select p.id, e.run_id, e.operation_id, e.timestamp, e.action, e.actor, e.rationale, e.changes,
        coalesce(e.via, '{}') || ${imported}
      from past as p cross join lateral rows from (
        json_to_recordset(p.audit_log) as
          (run_id uuid, operation_id uuid, "timestamp" timestamptz, action audit_action, actor text, rationale text,
            changes jsonb, via jsonb)
      ) with ordinality as e (run_id, operation_id, "timestamp", action, actor, rationale, changes, via, place)
      order by p.place, e.place
    ), move as (
      insert into status_changes (record_id, run_id, at, old, new, actor, reason, step, via)
      select p.id, m.run_id, m.changed_at, m.old, m.new, m.actor, m.reason, m.step, coalesce(m.via, '{}') || ${imported}
      from past as p cross join lateral rows from (
        json_to_recordset(p.status_history) as
          (run_id uuid, changed_at timestamptz, old record_status, new record_status, actor text, reason text, step text,
            via jsonb)
      ) with ordinality as m (run_id, changed_at, old, new, actor, reason, step, via, place)
      order by p.place, m.place
    ), score as (
      insert into importance_history (record_id, run_id, at, old, new)
      select p.id, s.run_id, s.changed_at, s.old, s.new
      from past as p cross join lateral rows from (
        json_to_recordset(p.importance_history) as (run_id uuid, changed_at timestamptz, old float8, new float8)
      ) with ordinality as s (run_id, changed_at, old, new, place)
      order by p.place, s.place
    ), access as (
      insert into access_log (record_id, at, kind, actor, key_id)
      select p.id, a.at, a.kind, a.actor, a.key_id
      from past as p
      cross join lateral json_to_recordset(p.access_log) as a
        (at timestamptz, kind access_kind, actor text, key_id text)
      on conflict do nothing
    ), fold as (
      insert into access_folds (record_id, days) select p.id, p.access_days from past as p where p.access_days > 0
    ), comparison as (
      insert into surprises (record_id, at, score, delta, base_before, duplicate_of, neighbours)
      select p.id, s.at, s.score, s.delta, s.base_before, s.duplicate_of, s.neighbours
      from past as p
      cross join lateral json_to_record(p.surprise) as s
        (at timestamptz, score float8, delta float8, base_before float8, duplicate_of uuid, neighbours jsonb)
      where p.surprise is not null
    ), learnt as (
      delete from unconsolidated as u using past as p
      where u.record_id = p.id and p.consolidation is not null
        and u.stage::text not in (select json_array_elements_text(p.consolidation -> 'due'))
    ), due as (
      insert into unconsolidated (record_id, stage, due_at)
      select p.id, each.stage::consolidation_stage, p.created_at
      from past as p cross join lateral json_array_elements_text(p.consolidation -> 'due') as each (stage)
      on conflict do nothing
    )
    insert into episode_tallies (episode_id, stage, outcome, digest, scope)
    select p.id, t.stage, t.outcome, decode(t.digest, 'hex'), t.scope
    from past as p
    cross join lateral json_to_recordset(p.consolidation -> 'tallies') as t
      (stage consolidation_stage, outcome text, digest text, scope text)
    on conflict do nothing
  `.execute(tx)
}

/**
 * Sources may come later in the stream, or never. An erased record is no source, and neither is a record that the
 * caller does not read in full. An edge to a source outside the scopes of the caller is not written: its descent is
 * stored as `inherited`, which needs no edge.
 */
export async function insertDescents(
  tx: Transaction,
  descents: readonly Descent[],
  trust: Trust,
): Promise<void> {
  if (descents.length === 0) return
  const isLinkable = mayLinkTo(trust, sql`'derived_from'`)
  await sql`
    insert into descents (derived_id, source_id, kind, is_ground)
    select g.derived_id, g.source_id, case when t.id is null or ${isLinkable} then g.kind else 'inherited' end, g.is_ground
    from json_to_recordset(${writeJsonRows(descents)}::json) as g
      (derived_id uuid, source_id uuid, kind text, is_ground bool)
    left join records as t on t.id = g.source_id
    where not exists (select from departures as d where d.id = g.source_id and d.kind = 'erased')
      and (t.id is null or ${openTo(trust, 't')})
    on conflict on constraint descents_pkey do nothing
  `.execute(tx)
}
