import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import type { Handle } from '../../domain/identity/handles.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import type { RecordRow } from '../stored-record.ts'

/**
 * `lock` says when the handle stays locked until the transaction ends: `always`, only `if_unused` (no record has it
 * yet), or `never`.
 */
export type HandleLookup = Handle & { scope: string; lock: 'always' | 'if_unused' | 'never' }

/** A record that has a handle. `payload` is present for an entity or a fact. `is_same` is true if the detail matches. */
export type KnownRecord = Pick<
  RecordRow,
  'id' | 'scope' | 'type' | 'sensitivity' | 'status' | 'forgotten_at' | 'created_at'
> & { payload: Payload | null; is_same: boolean }

/** The records that have a handle, and the place that the next record with this handle gets. */
export type HandleMatch = { nextPlace: number; known: KnownRecord[] }

/** One match for each handle, in the given order, and whether new content may be content that was erased before. */
export type HandleLookupResult = { matches: HandleMatch[]; mayBeErased: boolean }

/**
 * Finds the records that have each handle, in its scope or in no scope, up to the ceiling. An unused handle stays locked
 * until the transaction ends, so that two transactions cannot both store it. Callers must pass handles in one order to
 * avoid deadlocks. The entities that are found stay locked too. A payload is read once, however many handles find it: an
 * entity with thousands of names has megabytes.
 */
export async function lookUpHandles(
  tx: Transaction,
  lookups: readonly HandleLookup[],
  ceiling: Sensitivity,
): Promise<HandleLookupResult> {
  const { rows } = await sql<HandleMatchRow>`
    select wanted, next_place, is_same, id, scope, type, sensitivity, status, forgotten_at, created_at, may_be_erased,
      case when row_number() over (partition by id order by wanted) = 1 then payload end as payload
    from seek_handles(
      ${lookups.map(({ digest }) => digest)}::bytea[], ${lookups.map(({ detail }) => detail)}::bytea[],
      ${lookups.map(({ scope }) => scope)}::text[], ${lookups.map(({ lock }) => (lock === 'never' ? null : lock === 'always'))}::boolean[],
      ${ceiling}::sensitivity
    )
    order by wanted, is_same desc, id desc
  `.execute(tx)
  const payloads = new Map(rows.flatMap(({ id, payload }) => (id && payload ? [[id, payload]] : [])))
  const matches: HandleMatch[] = lookups.map(() => ({ nextPlace: 0, known: [] }))
  for (const { wanted: position, next_place: nextPlace, may_be_erased: _, ...known } of rows) {
    const match = matches[position - 1]
    if (!match) continue
    match.nextPlace = nextPlace
    if (known.id !== null) match.known.push({ ...known, payload: payloads.get(known.id) ?? null })
  }
  return { matches, mayBeErased: rows.some((row) => row.may_be_erased) }
}

type HandleMatchRow = KnownRecord & {
  wanted: number
  next_place: number
  id: string | null
  may_be_erased: boolean
}

export async function deleteHandles(tx: Transaction, id: string, handles: readonly Handle[]): Promise<void> {
  if (handles.length === 0) return
  await tx
    .deleteFrom('handles')
    .where('record_id', '=', id)
    .where('digest', '=', sql<Buffer>`any(${handles.map(({ digest }) => digest)}::bytea[])`)
    .execute()
}

/** Sent as arrays: an entity with many names would need more parameters than a statement can have. */
export async function insertHandles(
  tx: Transaction,
  id: string,
  scope: string,
  handles: readonly Handle[],
): Promise<void> {
  if (handles.length === 0) return
  await sql`
    insert into handles (digest, detail, record_id, place, scope)
    select digest, detail, ${id}::uuid, place, ${scope}
    from unnest(
      ${handles.map(({ digest }) => digest)}::bytea[], ${handles.map(({ detail }) => detail)}::bytea[],
      ${handles.map(({ place }) => place)}::integer[]
    ) as handle (digest, detail, place)
  `.execute(tx)
}
