import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { scopeAndTypeWords } from '../../db/search-words.ts'
import { openTo } from '../../db/visibility.ts'
import type { Trust, Via } from '../../domain/caller.ts'
import type { ContentRow } from '../stored-record.ts'
import type { Derivation } from './descent-closure.ts'

const listed = (ids: readonly string[]) => sql`any(${sql.val([...ids])}::uuid[])`

/**
 * All that rests on the record, at any remove, and what names any of it, with every source that each has. What a dream
 * wrote is a model's telling of all that it was shown.
 */
export async function findDerivations(tx: Database, root: string): Promise<Derivation[]> {
  const { rows } = await sql<Derivation>`
    with recursive descendant as (
      select ${root}::uuid as id
      union
      select d.derived_id from descendant join descents as d on d.source_id = descendant.id and d.is_ground
    ), touched as materialized (
      select distinct d.derived_id as id
      from descendant join descents as d on d.source_id = descendant.id and d.kind <> 'contest'
      where d.derived_id <> ${root}::uuid
    )
    select d.derived_id as derived, d.source_id as source, d.kind, d.is_ground as "isGround",
      bool_or(d.kind = 'dream') over (partition by d.derived_id) as "quotesAllSources"
    from touched join descents as d on d.derived_id = touched.id
    where d.kind <> 'contest'
  `.execute(tx)
  return rows
}

/** What went is nobody's source any more. What stays though it lost its last ground stands by itself. */
export async function deleteDescentsFrom(tx: Database, ids: readonly string[]): Promise<void> {
  await sql`delete from descents where source_id = ${listed(ids)}`.execute(tx)
}

export type SourceContent = ContentRow & { id: string }

/** What the records say, without what surrounds it. */
export async function findContents(tx: Database, ids: readonly string[]): Promise<SourceContent[]> {
  const { rows } = await sql<SourceContent>`
    select c.record_id as id, c.tags, c.payload, c.provenance, c.interpretation
    from contents as c where c.record_id = ${listed(ids)}
  `.execute(tx)
  return rows
}

/** Of a record that stays, with what it says from now on; null where nothing that it says changes. */
export type KeptRecordUpdate = {
  id: string
  content: ContentRow
  search: { text: string; words: number; scope: string; type: string }
  /** What it is no longer known by. */
  digests: readonly Buffer[]
  identifiers: readonly { namespace: string; value: string }[]
}

/** Each as one change: its content, its version, its log, what it is found and known by. */
export async function updateKeptRecords(
  tx: Database,
  kept: readonly KeptRecordUpdate[],
  { actor, at, via }: Omit<ErasureEntry, 'rationale'>,
  textLanguage: string,
): Promise<void> {
  const rows = kept.map(({ id, content, search }) => ({ id, ...content, ...search }))
  const names = kept.flatMap(({ id, digests }) =>
    digests.map((digest) => ({ id, digest: `\\x${digest.toString('hex')}` })),
  )
  const marks = kept.flatMap(({ id, identifiers }) => identifiers.map((each) => ({ ...each, id })))
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
          || ${scopeAndTypeWords(sql`k.scope`, sql`k.type`)}
      from kept as k where c.record_id = k.id
    ), name as (
      delete from handles as h
      using json_to_recordset(${JSON.stringify(names)}::json) as n (id uuid, digest bytea)
      where h.record_id = n.id and h.digest = n.digest
    ), mark as (
      delete from entity_identifiers as i
      using json_to_recordset(${JSON.stringify(marks)}::json) as m (id uuid, namespace text, value text)
      where i.record_id = m.id and i.namespace = m.namespace and i.value = m.value
    ), listed as (
      insert into unembedded (record_id, asked_at, due_at)
      select k.id, ${at}::timestamptz, ${at}::timestamptz from kept as k
      on conflict (record_id) do update
        set asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = excluded.attempts
    )
    insert into audit_entries (record_id, action, actor, at, rationale, via)
    select k.id, 'revise', ${actor}::text, ${at}::timestamptz, 'a source was erased',
      ${via && JSON.stringify(via)}::jsonb
    from kept as k order by k.id
  `.execute(tx)
}

/** Entries of what stays whose changes say what it took over from what went. Numbers and moves of a status stay. */
export async function clearInheritedAuditText(tx: Database, ids: readonly string[]): Promise<void> {
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
 * In the order of their ids, whatever else is being erased. Stronger than a change takes it: an edge to any of
 * them waits, and then finds nothing to lead to.
 */
export async function lockForErasure(tx: Database, ids: readonly string[]): Promise<void> {
  await sql`select r.id from records as r where r.id = ${listed(ids)} order by r.id for update`.execute(tx)
}

/** Of the records, those the caller could read whole: of the others it is not told that they went. */
export async function findReadableIds(tx: Database, ids: readonly string[], trust: Trust): Promise<string[]> {
  const found = await tx
    .selectFrom('records as r')
    .where('r.id', '=', sql<string>`${listed(ids)}`)
    .where(openTo(trust))
    .select('r.id')
    .orderBy('r.id')
    .execute()
  return found.map(({ id }) => id)
}

export async function deleteEdgesOf(tx: Database, ids: readonly string[]): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('relations')
    .where((eb) =>
      eb.or([
        eb('source_id', '=', sql<string>`${listed(ids)}`),
        eb('target_id', '=', sql<string>`${listed(ids)}`),
      ]),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** They would go with their records; counted, because the receipt says how many went. */
export async function deleteAccesses(tx: Database, ids: readonly string[]): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('access_log')
    .where('record_id', '=', sql<string>`${listed(ids)}`)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Of every model, and their signatures with them; counted for the same reason. */
export async function deleteEmbeddings(tx: Database, ids: readonly string[]): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('embeddings')
    .where('record_id', '=', sql<string>`${listed(ids)}`)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Who did what and when stays; the trigger of migration 0003 lets nothing else be changed. */
export async function clearAuditText(tx: Database, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('audit_entries')
    .set({ rationale: '', changes: null })
    .where('record_id', '=', sql<string>`${listed(ids)}`)
    .where((eb) => eb.or([eb('rationale', '<>', ''), eb('changes', 'is not', null)]))
    .execute()
}

export async function clearStatusReasons(tx: Database, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('status_changes')
    .set({ reason: '' })
    .where('record_id', '=', sql<string>`${listed(ids)}`)
    .where('reason', '<>', '')
    .execute()
}

export type ErasureEntry = { actor: string; rationale: string; at: Date; via: Via | null }

export async function insertEraseEntries(
  tx: Database,
  ids: readonly string[],
  { actor, rationale, at, via }: ErasureEntry,
): Promise<void> {
  await sql`
    insert into audit_entries (record_id, action, actor, at, rationale, via)
    select id, 'erase', ${actor}::text, ${at}::timestamptz, ${rationale}::text, ${via && JSON.stringify(via)}::jsonb
    from unnest(${sql.val([...ids])}::uuid[]) as erased (id)
  `.execute(tx)
}

/** One purged before it was erased: its numbers stay, and it is known as erased from now on. */
export async function updateDeletedToErased(
  tx: Database,
  id: string,
  actor: string,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('departures')
    .set({ kind: 'erased', reason: 'erased', actor, departed_at: at })
    .where('id', '=', id)
    .execute()
}
