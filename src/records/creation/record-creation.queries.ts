import { type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { createEffectSaving } from '../../db/fragments/effect-saving.ts'
import { joinJsonRows, writeJsonRows } from '../../db/fragments/json/json-rows.ts'
import { recordState } from '../../db/fragments/record-state.ts'
import { writeScopeAndTypeWords } from '../../db/fragments/search-words.ts'
import { isVisibleTo } from '../../db/fragments/visibility.ts'
import { addInverses } from '../../domain/edges/edges.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import type { Trust } from '../../domain/trust/caller.ts'
import { mapInTurns } from '../../kernel/turns.ts'
import { insertDescents, readDescents } from '../descent/descents.queries.ts'
import type { Descent } from '../descent/descents.ts'
import { askAnew } from '../search-texts/unembedded.queries.ts'
import type { Identifier } from '../stored-record.ts'
import { asHex, type InsertableDraft, writeRow } from './record-row.ts'

type InsertOptions = {
  textLanguage: string
  seal: Seal
  /** Descents of records that are already stored. */
  descents?: readonly Descent[]
  /**
   * The id of a run that keeps the inserted rows. The statement must then run within `saveEffectsByStatement`, and none of the
   * records may be an episode.
   */
  effectsRunId?: string | undefined
}

export type InsertOutcome = {
  ids: ReadonlySet<string>
  /** Not stored, because the same content was erased from the same scope. */
  erasedIds: ReadonlySet<string>
}

/**
 * Stores records with all their rows in one statement: one round trip, and a record never exists without its content.
 * An id that is in neither result set belongs, or belonged, to another record. An edge is stored only if both of its
 * records are. Each table is filled in the order of its keys, so that two writers of the same keys wait instead of
 * deadlocking. Rows are sent as JSON, so that the text of the statement does not depend on their number.
 */
export async function insertRecords(
  db: Database,
  drafts: readonly InsertableDraft[],
  { textLanguage, seal, descents = [], effectsRunId }: InsertOptions,
): Promise<InsertOutcome> {
  const rows = await mapInTurns(drafts, (draft, ordinal) => {
    const written = draft.written ?? writeRow(draft, seal)
    return `{"ordinal":${ordinal},${written.slice(1)}`
  })
  const edges = writeJsonRows(
    drafts.flatMap(({ row, edges }) => addInverses(edges).map((edge) => ({ ...edge, owner: row.id }))),
  )
  const descentRows = writeJsonRows([
    ...drafts.flatMap(({ row, descents }) => descents.map((each) => ({ ...each, owner: row.id }))),
    ...descents.map((each) => ({ ...each, owner: null })),
  ])
  const identifiers = writeJsonRows(
    drafts.flatMap(({ row, identifiers }) => identifiers.map((each) => ({ ...each, record_id: row.id }))),
  )
  const handles = writeJsonRows(
    drafts.flatMap(({ row, handles }) =>
      handles.map(({ digest, detail, place }) => ({
        record_id: row.id,
        scope: row.scope,
        place,
        digest: asHex(digest),
        detail: detail && asHex(detail),
      })),
    ),
  )
  const saving = createEffectSaving(effectsRunId)
  const { rows: results } = await sql<{ id: string; is_erased: boolean }>`
    with incoming as materialized (
      select * from json_to_recordset(${joinJsonRows(rows)}::json) as incoming (
        id uuid, created_at timestamptz, updated_at timestamptz, salience float8, base_salience float8,
        anchored_at timestamptz, last_reinforced_at timestamptz, expires_at timestamptz, prune_at timestamptz,
        half_life_seconds int8, max_age_seconds int8, min_salience float8, reinforcement_gain float8,
        max_salience float8, confidence float8, importance float8, base_importance float8,
        emotional_valence float8, last_accessed_at timestamptz, access_count int4, confirmation_count int4,
        version int4, type record_type, sensitivity sensitivity, layer memory_layer, memory_kind memory_kind,
        status record_status, source_type source_type, curve decay_curve, deletion_policy deletion_policy,
        pinned bool, scope text, tags text[], payload jsonb, provenance jsonb, interpretation jsonb,
        "searchText" text, words int4, ordinal int4, audit jsonb, "hasClientId" bool, digest bytea,
        "earlierDigest" bytea, worth bytea
      )
    ), ${readDescents(descentRows)}, erased as materialized (
      select erased_scope as scope, erased_digest as digest
      from (
        select array_agg(i.scope) as scopes, array_agg(form.digest) as digests
        from incoming as i cross join lateral (values (i.digest), (i."earlierDigest")) as form (digest)
        where form.digest is not null
      ) as said,
        erased_among(${seal.keyId}::bytea, said.scopes, said.digests)
    ), record as (
      insert into records as r (
        id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, type,
        sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope, worth
      )
      select id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, type,
        sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope, worth
      from incoming as i
      where not exists (select from erased as e where e.scope = i.scope and e.digest in (i.digest, i."earlierDigest"))
        and (not "hasClientId" or not exists (select from departures as d where d.id = i.id offset 0))
      order by id
      on conflict (id) do nothing
      returning id ${saving.addRow(sql`id`, kept.record)}
    ), content as (
      insert into contents (record_id, tags, payload, provenance, interpretation, words, search)
      select id, tags, payload, provenance, interpretation, words,
        to_tsvector(${textLanguage}::text::regconfig, "searchText")
          || ${writeScopeAndTypeWords(sql`scope`, sql`type`)}
      from incoming join record using (id)
      ${saving.returnRow(sql`record_id`, kept.content)}
    ), edge as (
      insert into relations (source_id, predicate, target_id, weight, created_at)
      select source_id, predicate, target_id, weight, created_at
      from json_to_recordset(${edges}::json) as edge
        (owner uuid, source_id uuid, predicate text, target_id uuid, weight float8, created_at timestamptz)
      where owner in (select id from record)
        and (source_id in (select id from record) or source_id not in (select id from incoming))
        and (target_id in (select id from record) or target_id not in (select id from incoming))
      order by source_id, predicate, target_id
      on conflict on constraint relations_pkey do nothing
      ${saving.returnRow(newEnd, kept.edge)}
    ), descent as (
      ${insertDescents}
      ${saving.returnRow(sql`derived_id`, kept.descent)}
    ), identifier as (
      insert into entity_identifiers (record_id, scope, sensitivity, namespace, value)
      select record_id, scope, sensitivity, namespace, value
      from json_to_recordset(${identifiers}::json) as identifier
        (record_id uuid, scope text, sensitivity sensitivity, namespace text, value text)
      where record_id in (select id from record)
      order by scope, namespace, value
      ${saving.returnRow(sql`record_id`, sql`to_jsonb(entity_identifiers)`)}
    ), handle as (
      insert into handles (digest, detail, record_id, place, scope)
      select digest, detail, record_id, place, scope
      from json_to_recordset(${handles}::json) as handle
        (digest bytea, detail bytea, record_id uuid, place int4, scope text)
      where record_id in (select id from record)
      order by digest, scope, place
    ), message as (
      insert into messages (record_id, scope, conversation, at)
      select id, scope, payload #>> '{conversation,id}', (payload #>> '{conversation,at}')::timestamptz
      from incoming join record using (id)
      where type = 'episodic' and payload ? 'conversation'
      order by ordinal
    ), queued as (
      insert into unembedded (record_id, asked_at, due_at)
      select id, updated_at, updated_at from incoming join record using (id)
      ${askAnew}
    ), entry as (
      insert into audit_entries (record_id, run_id, action, actor, at, rationale, via)
      select id, (audit ->> 'run_id')::uuid, (audit ->> 'action')::audit_action, audit ->> 'actor', (audit ->> 'at')::timestamptz,
        audit ->> 'rationale', nullif(audit -> 'via', 'null')
      from incoming join record using (id)
      where audit is not null
    ) ${saving.saveRows(insertingParts)}
    select id, false as is_erased from record
    union all
    select i.id, true from incoming as i join erased as e on e.scope = i.scope and e.digest in (i.digest, i."earlierDigest")
  `.execute(db)
  const pickIds = (isErased: boolean) =>
    new Set(results.filter((row) => row.is_erased === isErased).map(({ id }) => id))
  return { ids: pickIds(false), erasedIds: pickIds(true) }
}

/**
 * What a run keeps of the rows that it inserts: their keys, and what an undo compares and writes. Handles are not kept, because a
 * retracted record keeps its own.
 */
const kept = {
  record: sql`jsonb_build_object(${recordState},
    'forgotten_at', r.forgotten_at, 'expires_at', r.expires_at, 'curve', r.curve, 'half_life_seconds', r.half_life_seconds,
    'min_salience', r.min_salience, 'deletion_policy', r.deletion_policy)`,
  content: sql`jsonb_build_object('record_id', record_id, 'payload', payload)`,
  edge: sql`jsonb_build_object('source_id', source_id, 'predicate', predicate, 'target_id', target_id)`,
  descent: sql`jsonb_build_object('derived_id', derived_id, 'source_id', source_id)`,
}

/** Which end of an edge is a record of the statement: its source where both are. */
const newEnd = sql`case when source_id in (select id from record) then source_id else target_id end`

/** The parts of the statement that insert rows a run keeps, by their table. */
const insertingParts = {
  records: 'record',
  contents: 'content',
  relations: 'edge',
  descents: 'descent',
  entity_identifiers: 'identifier',
}

/** The ids that a record has or had. Applies no trust, because an id is unique in the whole store. */
export async function findUsedIds(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const hasGivenId = sql<SqlBool>`id = any(${ids}::uuid[])`
  const found = await db
    .selectFrom('records')
    .where(hasGivenId)
    .select('id')
    .unionAll(db.selectFrom('departures').where(hasGivenId).select('id'))
    .execute()
  return new Set(found.map(({ id }) => id))
}

/** The records that the caller sees, with the sensitivity that decides whether it may link to them. */
export async function findVisibleTargets(db: Database, ids: readonly string[], trust: Trust) {
  return db
    .selectFrom('records as r')
    .where('r.id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('r.forgotten_at', 'is', null)
    .where(isVisibleTo(trust))
    .select(['r.id', 'r.sensitivity'])
    .execute()
}

/** The identifiers that an entity of the same scope and sensitivity already has. */
export async function findTakenIdentifiers(
  db: Database,
  identifiers: readonly Identifier[],
): Promise<(Identifier & { record_id: string })[]> {
  const { rows } = await sql<Identifier & { record_id: string }>`
    select taken.record_id, taken.scope, taken.sensitivity, taken.namespace, taken.value
    from json_to_recordset(${JSON.stringify(identifiers)}::json)
      as requested (scope text, sensitivity sensitivity, namespace text, value text)
    join entity_identifiers as taken
      on taken.scope = requested.scope and taken.sensitivity = requested.sensitivity and taken.namespace = requested.namespace and taken.value = requested.value
  `.execute(db)
  return rows
}
