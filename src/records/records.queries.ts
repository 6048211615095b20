import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isEntryShown } from '../db/concealment.ts'
import type { Database } from '../db/connection.ts'
import { visibleTo } from '../db/visibility.ts'
import type { Sensitivity, Trust } from '../domain/caller.ts'
import { embeddedEdges } from '../domain/embedded-edges.ts'
import type { Handle } from '../domain/handles.ts'
import type { Payload } from '../domain/payloads.ts'
import { maxEmbeddedEntries } from './audit-log.ts'
import { nameHidden, type Unnamed } from './hidden-names.queries.ts'
import type { Identifier, RecordRow, StoredRecord } from './stored-record.ts'

/**
 * Whole records under the caller's trust, from rows named `r`. Edges show neither hidden nor forgotten
 * neighbours, and of a hub those that the primary key yields first: what everybody mentions has a million.
 * Of the audit log the newest entries come, oldest first. Written out, since building so wide a
 * statement anew for each read took longer than the database does to answer it.
 */
export function selectStored(
  trust: Trust,
  { from, more = sql``, rest, mostEdges = embeddedEdges }: Selection,
): RawBuilder<Unnamed> {
  return sql<Unnamed>`
    select r.id, r.type, r.sensitivity, r.layer, r.memory_kind, r.status, r.source_type, r.confidence, r.created_at,
      r.scope, c.tags, c.payload, c.provenance, c.interpretation, r.salience, r.base_salience, r.anchored_at,
      r.last_reinforced_at, r.updated_at, r.expires_at, r.prune_at, r.half_life_seconds, r.max_age_seconds,
      r.min_salience, r.reinforcement_gain, r.max_salience, r.importance, r.base_importance, r.emotional_valence,
      r.last_accessed_at, r.access_count, r.served_count, r.confirmation_count, r.version, r.curve, r.deletion_policy,
      r.pinned, r.forgotten_at, r.purge_at, r.forgotten_run_id, r.forgotten_reason, r.forgotten_by,
      coalesce((
        select json_agg(edge order by edge.created_at, edge.target_id, edge.predicate)
        from (
          select e.predicate, e.target_id, e.weight, e.created_at
          from relations as e
          join records as t on t.id = e.target_id
          where e.source_id = r.id and t.forgotten_at is null and ${visibleTo(trust, 't')}
          order by e.predicate desc, e.target_id desc
          limit ${sql.lit(mostEdges)}
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.changes,
            newest.via
          from (
            select * from audit_entries as a where a.record_id = r.id and ${isEntryShown(trust, sql`r.id`)}
            order by a.id desc limit ${maxEmbeddedEntries}
          ) as newest
          order by newest.id
        ) as entry
      ), '[]') as audit_log${more}
    from ${from}
    join contents as c on c.record_id = r.id
    where ${visibleTo(trust)} ${rest}
  `
}

type Fragment = RawBuilder<unknown>

/** `more` continues the columns, `rest` the conditions. */
type Selection = { from: Fragment; more?: Fragment; rest: Fragment; mostEdges?: number }

export async function readStored(db: Database, trust: Trust, selection: Selection): Promise<StoredRecord[]> {
  const { rows } = await selectStored(trust, selection).execute(db)
  return nameHidden(db, trust, rows)
}

/** Forgotten records too: the caller decides whether to answer one or to say that it is gone. */
export async function findRecords(
  db: Database,
  ids: readonly string[],
  trust: Trust,
  mostEdges?: number,
): Promise<StoredRecord[]> {
  const selection = {
    ...{ from: sql`records as r`, rest: sql`and ${hasIdIn(ids)}` },
    ...(mostEdges === undefined ? {} : { mostEdges }),
  }
  return readStored(db, trust, selection)
}

/**
 * One id is asked for as one: PostgreSQL keeps the plan of an equality, but makes that of an array anew at each
 * call, which took ten times as long as the read.
 */
function hasIdIn(ids: readonly string[]): RawBuilder<SqlBool> {
  return ids.length === 1
    ? sql<SqlBool>`r.id = ${ids[0]}::uuid`
    : sql<SqlBool>`r.id = any(${sql.val([...ids])}::uuid[])`
}

/**
 * Takes records for writing, in id order so that two writers of the same ones wait instead of deadlocking. They
 * are read again afterwards: a statement that waited for a lock would answer the contents as they were
 * before the wait. Not a lock of the key: an edge to the record, which asks for its key, may be written meanwhile.
 */
export async function lockRecords(tx: Database, ids: readonly string[]): Promise<void> {
  await sql`select r.id from records as r where ${hasIdIn(ids)} order by r.id for no key update`.execute(tx)
}

/**
 * `held`: kept from other writers until the transaction ends, though it is known already. `free`: only if nobody is
 * known by it yet. `looked_up`: never.
 */
export type HandleLookup = Handle & { scope: string; lock: 'always' | 'if_unused' | 'never' }

/** A record by one of its names; `payload` is that of an entity or a fact. */
export type KnownRecord = Pick<
  RecordRow,
  'id' | 'scope' | 'type' | 'sensitivity' | 'status' | 'forgotten_at' | 'created_at'
> & { payload: Payload | null; is_same: boolean }

/** Who is known by a handle, and the place that whoever is next to bear it takes. */
export type HandleMatch = { nextPlace: number; known: KnownRecord[] }

/** Of each handle, in the order given; and whether what is new may be what was erased. */
export type HandleLookupResult = { matches: HandleMatch[]; mayBeErased: boolean }

/**
 * Who bears each in its scope or in none, up to the ceiling. What nobody bears stays locked until the end, so two who
 * would both store it wait for each other: hand them over in one order. The entities found stay too.
 */
export async function lookUpHandles(
  tx: Database,
  wanted: readonly HandleLookup[],
  ceiling: Sensitivity,
): Promise<HandleLookupResult> {
  const { rows } = await sql<HandleMatchRow>`
    select * from seek_handles(
      ${wanted.map(({ digest }) => digest)}::bytea[], ${wanted.map(({ detail }) => detail)}::bytea[],
      ${wanted.map(({ scope }) => scope)}::text[], ${wanted.map(({ lock }) => (lock === 'never' ? null : lock === 'always'))}::boolean[],
      ${ceiling}::sensitivity
    )
  `.execute(tx)
  const sought: HandleMatch[] = wanted.map(() => ({ nextPlace: 0, known: [] }))
  for (const { wanted: position, next_place: nextPlace, may_be_erased: _, ...known } of rows) {
    const each = sought[position - 1]
    if (!each) continue
    each.nextPlace = nextPlace
    if (known.id !== null) each.known.push(known)
  }
  return { matches: sought, mayBeErased: rows.some((row) => row.may_be_erased) }
}

type HandleMatchRow = KnownRecord & {
  wanted: number
  next_place: number
  id: string | null
  may_be_erased: boolean
}

export async function deleteHandles(tx: Database, id: string, handles: readonly Handle[]): Promise<void> {
  await tx
    .deleteFrom('handles')
    .where('record_id', '=', id)
    .where('digest', '=', sql<Buffer>`any(${sql.val(handles.map(({ digest }) => digest))}::bytea[])`)
    .execute()
}

/** In arrays: as parameters of their own those of a much-named entity would be more than a statement can have. */
export async function insertHandles(
  tx: Database,
  id: string,
  scope: string,
  handles: readonly Handle[],
): Promise<void> {
  await sql`
    insert into handles (digest, detail, record_id, place, scope)
    select digest, detail, ${id}::uuid, place, ${scope}
    from unnest(
      ${handles.map(({ digest }) => digest)}::bytea[], ${handles.map(({ detail }) => detail)}::bytea[],
      ${handles.map(({ place }) => place)}::integer[]
    ) as handle (digest, detail, place)
  `.execute(tx)
}

export async function deleteIdentifiers(tx: Database, id: string): Promise<void> {
  await tx.deleteFrom('entity_identifiers').where('record_id', '=', id).execute()
}

export async function insertIdentifiers(
  tx: Database,
  id: string,
  identifiers: readonly Identifier[],
): Promise<void> {
  await sql`
    insert into entity_identifiers (record_id, scope, sensitivity, namespace, value)
    select ${id}::uuid, scope, sensitivity, namespace, value
    from unnest(
      ${identifiers.map(({ scope }) => scope)}::text[],
      ${identifiers.map(({ sensitivity }) => sensitivity)}::sensitivity[],
      ${identifiers.map(({ namespace }) => namespace)}::text[], ${identifiers.map(({ value }) => value)}::text[]
    ) as identifier (scope, sensitivity, namespace, value)
  `.execute(tx)
}
