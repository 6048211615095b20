import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { openTo } from '../db/fragments/visibility.ts'
import type { Payload } from '../domain/payloads/payloads.ts'
import { type Sensitivity, unscoped } from '../domain/trust/caller.ts'
import type { ReaderFilter } from './capture-context.ts'

/** An entity found by one of its names. */
type NamedEntity = { id: string; digest: Buffer; name: string; kind: string }

/**
 * Returns the ids of the records that the evidence may refer to: fully visible, not forgotten, in the scope or
 * without scope.
 */
export async function findReadableIds(
  db: Database,
  ids: readonly string[],
  { trust, scope }: ReaderFilter,
): Promise<Set<string>> {
  const found = await db
    .selectFrom('records as r')
    .where('r.id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('r.scope', 'in', [scope, unscoped])
    .where('r.forgotten_at', 'is', null)
    .where(openTo(trust))
    .select('r.id')
    .execute()
  return new Set(found.map(({ id }) => id))
}

type ReferencedSummary = { id: string; summary: string | null; payload: Payload | null }

/**
 * Returns the same records with a few words of each: the summary of its interpretation, or its payload if that is
 * small.
 */
export async function findReferencedSummaries(
  db: Database,
  ids: readonly string[],
  { trust, scope }: ReaderFilter,
): Promise<ReferencedSummary[]> {
  const { rows } = await sql<ReferencedSummary>`
    select r.id, left(c.interpretation ->> 'summary', 1000) as summary,
      case when pg_column_size(c.payload) <= 8192 then c.payload end as payload
    from records as r
    join contents as c on c.record_id = r.id
    where r.id = any(${ids}::uuid[]) and r.scope in (${scope}, ${unscoped})
      and r.forgotten_at is null and ${openTo(trust)}
    order by r.id
  `.execute(db)
  return rows
}

/** Returns which of the handles a record of the scope has, and the sensitivity of that record. */
export async function findHandleOwners(
  db: Database,
  digests: readonly Buffer[],
  { trust, scope }: ReaderFilter,
): Promise<{ digest: Buffer; sensitivity: Sensitivity }[]> {
  const { rows } = await sql<{ digest: Buffer; sensitivity: Sensitivity }>`
    select h.digest, r.sensitivity
    from handles as h
    join records as r on r.id = h.record_id
    where h.digest = any(${digests}::bytea[]) and h.scope = ${scope}
      and r.forgotten_at is null and ${openTo(trust)}
  `.execute(db)
  return rows
}

/** Returns entities with one of these names, the oldest first, and locks nothing. */
export async function findNamedEntities(
  db: Database,
  digests: readonly Buffer[],
  { trust, scope }: ReaderFilter,
  limit: number,
): Promise<NamedEntity[]> {
  const { rows } = await sql<NamedEntity>`
    select r.id, h.digest, c.payload ->> 'canonical_name' as name, c.payload ->> 'primary_type' as kind
    from handles as h
    join records as r on r.id = h.record_id
    join contents as c on c.record_id = r.id
    where h.digest = any(${digests}::bytea[]) and h.scope in (${scope}, ${unscoped})
      and r.type = 'entity' and r.forgotten_at is null and r.status in ('active', 'challenged')
      and ${openTo(trust)}
    order by r.scope desc, r.created_at, r.id
    limit ${limit}
  `.execute(db)
  return rows
}
