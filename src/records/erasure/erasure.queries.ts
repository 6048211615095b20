import { sql } from 'kysely'
import { writeScopeAndTypeWords } from '../../db/fragments/search-words.ts'
import { openTo } from '../../db/fragments/visibility.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Trust, Via } from '../../domain/trust/caller.ts'
import { asHex } from '../creation/record-row.ts'
import { askAnew } from '../search-texts/unembedded.queries.ts'
import type { ContentRow } from '../stored-record.ts'
import type { Derivation } from './erased-ids.ts'

const listed = (ids: readonly string[]) => sql`any(${ids}::uuid[])`

/**
 * All records derived from the root, directly or through others, and all records that name one of them, each with all of
 * its sources. A record that a dream wrote quotes all its sources, because a model wrote it from all of them.
 */
export async function findDerivations(tx: Transaction, root: string): Promise<Derivation[]> {
  const { rows } = await sql<Derivation>`
    with recursive descendant as (
      select ${root}::uuid as id
      union
      select d.derived_id from descendant
      join descents as d on d.source_id = descendant.id and (d.is_ground or d.kind = 'fold')
    ), touched as materialized (
      select distinct d.derived_id as id
      from descendant join descents as d on d.source_id = descendant.id and d.kind <> 'contest'
      where d.derived_id <> ${root}::uuid
    )
    select d.derived_id as derived, d.source_id as source, d.kind, d.is_ground as "isGround",
      bool_or(d.kind = 'dream') over (partition by d.derived_id) as "quotesAllSources",
      d.kind in ('capture', 'fold') and exists (
        select from records as r where r.id = d.derived_id and r.type = 'entity' offset 0
      ) as "givesName"
    from touched join descents as d on d.derived_id = touched.id
    where d.kind <> 'contest'
  `.execute(tx)
  return rows
}

/**
 * Removes the erased records from the sources of others, and their own sources. A kept record without any ground left is
 * independent.
 */
export async function deleteDescentsOf(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`delete from descents where source_id = ${listed(ids)} or derived_id = ${listed(ids)}`.execute(tx)
}

export type SourceContent = ContentRow & { id: string }

/** The contents of the records, without their other columns. */
export async function findContents(tx: Transaction, ids: readonly string[]): Promise<SourceContent[]> {
  const { rows } = await sql<SourceContent>`
    select c.record_id as id, c.tags, c.payload, c.provenance, c.interpretation
    from contents as c where c.record_id = ${listed(ids)}
  `.execute(tx)
  return rows
}

/** A kept record with its new content. */
export type KeptRecordUpdate = {
  id: string
  content: ContentRow
  search: { text: string; words: number; scope: string; type: string }
  /** The handles and identifiers that it loses. */
  digests: readonly Buffer[]
  identifiers: readonly { namespace: string; value: string }[]
}

export type ErasureEntry = { actor: string; rationale: string; at: Date; via: Via | null }

/** Updates kept records in one statement: content, version, search text, handles, identifiers and audit log. */
export async function updateKeptRecords(
  tx: Transaction,
  updates: readonly KeptRecordUpdate[],
  { actor, rationale, at, via }: ErasureEntry,
  textLanguage: string,
): Promise<void> {
  const rows = updates.map(({ id, content, search }) => ({ id, ...content, ...search }))
  const lostHandles = updates.flatMap(({ id, digests }) =>
    digests.map((digest) => ({ id, digest: asHex(digest) })),
  )
  const lostIdentifiers = updates.flatMap(({ id, identifiers }) =>
    identifiers.map((each) => ({ ...each, id })),
  )
  await sql`
    with kept as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as kept
        (id uuid, tags text[], payload jsonb, provenance jsonb, text text, words int4, scope text, type text)
    ), record as (
      update records as r set version = r.version + 1, updated_at = greatest(r.updated_at, ${at}::timestamptz)
      from kept as k where r.id = k.id
    ), content as (
      update contents as c
      set tags = k.tags, payload = k.payload, provenance = k.provenance, words = k.words,
        search = to_tsvector(${textLanguage}::text::regconfig, k.text)
          || ${writeScopeAndTypeWords(sql`k.scope`, sql`k.type`)}
      from kept as k where c.record_id = k.id
    ), handle as (
      delete from handles as h
      using json_to_recordset(${JSON.stringify(lostHandles)}::json) as n (id uuid, digest bytea)
      where h.record_id = n.id and h.digest = n.digest
    ), identifier as (
      delete from entity_identifiers as i
      using json_to_recordset(${JSON.stringify(lostIdentifiers)}::json) as m (id uuid, namespace text, value text)
      where i.record_id = m.id and i.namespace = m.namespace and i.value = m.value
    ), queued as (
      insert into unembedded (record_id, asked_at, due_at)
      select k.id, ${at}::timestamptz, ${at}::timestamptz from kept as k
      ${askAnew}
    )
    insert into audit_entries (record_id, action, actor, at, rationale, via)
    select k.id, 'revise', ${actor}::text, ${at}::timestamptz, ${rationale}::text,
      ${via && JSON.stringify(via)}::jsonb
    from kept as k order by k.id
  `.execute(tx)
}

/** Clears the audit entries of kept records that contain words of the erased ones. Numbers and status changes stay. */
export async function clearInheritedAuditText(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    update audit_entries as a set rationale = '', changes = null
    where a.record_id = ${listed(ids)} and a.changes is not null and exists (
      select from jsonb_object_keys(a.changes) as named (key)
      where key in ('tags', 'merged') or key like 'provenance%'
        or key like 'payload%' and key <> 'payload.revision.status'
    )
  `.execute(tx)
}

/**
 * Locks in the order of the ids, so that two erases never deadlock. The lock is stronger than that of a change: a new
 * edge to one of the records waits for it, and then finds no target.
 */
export async function lockForErasure(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`select r.id from records as r where r.id = ${listed(ids)} order by r.id for update`.execute(tx)
}

/** The records that the caller could read in full. The receipt does not name the others. */
export async function findReadableIds(
  tx: Transaction,
  ids: readonly string[],
  trust: Trust,
): Promise<string[]> {
  const found = await tx
    .selectFrom('records as r')
    .where('r.id', '=', sql<string>`${listed(ids)}`)
    .where(openTo(trust))
    .select('r.id')
    .orderBy('r.id')
    .execute()
  return found.map(({ id }) => id)
}

/** Deletes the edges of the records; returns how many of them led between two records that the caller could read in full. */
export async function deleteEdgesOf(tx: Transaction, ids: readonly string[], trust: Trust): Promise<number> {
  const { rows } = await sql<{ reported: number }>`
    with gone as (
      delete from relations as e where e.source_id = ${listed(ids)} or e.target_id = ${listed(ids)}
      returning e.source_id, e.target_id
    )
    select count(*) as reported from gone
    join records as s on s.id = gone.source_id join records as t on t.id = gone.target_id
    where ${openTo(trust, 's')} and ${openTo(trust, 't')}
  `.execute(tx)
  return rows[0]?.reported ?? 0
}

/**
 * Deletes what would go with the records: their accesses, or their vectors of all models with the signatures. Returns the
 * number of deleted rows of the records in `reportedIds`, for the receipt.
 */
export async function deleteRowsOf(
  tx: Transaction,
  table: 'access_log' | 'embeddings',
  ids: readonly string[],
  reportedIds: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ reported: number }>`
    with gone as (
      delete from ${sql.table(table)} as t where t.record_id = ${listed(ids)} returning t.record_id
    )
    select count(*) as reported from gone where gone.record_id = ${listed(reportedIds)}
  `.execute(tx)
  return rows[0]?.reported ?? 0
}

/** Actor, action and time stay. A trigger refuses any other change of an audit entry. */
export async function clearAuditText(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('audit_entries')
    .set({ rationale: '', changes: null })
    .where('record_id', '=', sql<string>`${listed(ids)}`)
    .where((eb) => eb.or([eb('rationale', '<>', ''), eb('changes', 'is not', null)]))
    .execute()
}

export async function clearStatusReasons(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('status_changes')
    .set({ reason: '' })
    .where('record_id', '=', sql<string>`${listed(ids)}`)
    .where('reason', '<>', '')
    .execute()
}

export async function insertEraseEntries(
  tx: Transaction,
  ids: readonly string[],
  { actor, rationale, at, via }: ErasureEntry,
): Promise<void> {
  await sql`
    insert into audit_entries (record_id, action, actor, at, rationale, via)
    select id, 'erase', ${actor}::text, ${at}::timestamptz, ${rationale}::text, ${via && JSON.stringify(via)}::jsonb
    from unnest(${ids}::uuid[]) as erased (id)
  `.execute(tx)
}

/** Marks those that were purged before as erased. Their numbers stay, and their places in conversations do not. */
export async function updatePurgedToErased(
  tx: Transaction,
  ids: readonly string[],
  { actor, at }: ErasureEntry,
): Promise<void> {
  await tx
    .updateTable('departures')
    .set({ kind: 'erased', reason: 'erased', actor, departed_at: at })
    .set({ conversation: null, message_at: null, message_arrival: null })
    .where('id', '=', sql<string>`${listed(ids)}`)
    .where('kind', '=', 'purged')
    .execute()
}
