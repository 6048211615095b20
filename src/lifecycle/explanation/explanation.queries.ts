import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { openTo } from '../../db/fragments/visibility.ts'
import type { Trust } from '../../domain/trust/caller.ts'

/** The values that led to an archival, as of that moment. The audit log outlives the record. */
export type ArchivalValues = { retention: number; importance: number; accesses: number; age_days: number }

export async function findArchivalValues(db: Database, id: string): Promise<ArchivalValues | undefined> {
  const { rows } = await sql<ArchivalValues>`
    select (said ->> 'retention')::float8 as retention, (said ->> 'importance')::float8 as importance,
      (said ->> 'accesses')::int4 as accesses, (said ->> 'age_days')::float8 as age_days
    from (
      select a.changes #> '{forgotten,1}' as said
      from audit_entries as a
      where a.record_id = ${id}::uuid and a.action = 'archive'
      order by a.id desc
      limit 1
    ) as archived
    where said ? 'retention'
  `.execute(db)
  return rows[0]
}

/** The worth keeping for which a budget forgot the record. */
export async function findBudgetValues(db: Database, id: string): Promise<{ keeping: number } | undefined> {
  const { rows } = await sql<{ keeping: number }>`
    select (a.changes #>> '{forgotten,1,keeping}')::float8 as keeping
    from audit_entries as a
    where a.record_id = ${id}::uuid and a.action = 'delete' and a.changes #> '{forgotten,1}' ? 'keeping'
    order by a.id desc
    limit 1
  `.execute(db)
  return rows[0]
}

export type SurpriseRow = {
  at: Date
  score: number
  delta: number
  base_before: number
  duplicate_of: string | null
  neighbours: { id: string; similarity: number }[]
}

/**
 * Reads the comparison of the first vector of a record. Only neighbours that still exist and that the caller sees
 * whole are returned, because the similarity to a record reveals what it says.
 */
export async function findSurprise(db: Database, id: string, trust: Trust): Promise<SurpriseRow | undefined> {
  const { rows } = await sql<SurpriseRow>`
    with surprise as materialized (select * from surprises where record_id = ${id}::uuid), near as materialized (
      select (each.value ->> 'id')::uuid as id, (each.value ->> 'similarity')::float8 as similarity, each.place
      from surprise as s cross join lateral jsonb_array_elements(s.neighbours) with ordinality as each (value, place)
    ), seen as materialized (
      select near.* from near join records as r on r.id = near.id where ${openTo(trust)}
    )
    select s.at, s.score, s.delta, s.base_before,
      (select seen.id from seen where seen.id = s.duplicate_of) as duplicate_of,
      coalesce((
        select json_agg(json_build_object('id', seen.id, 'similarity', seen.similarity) order by seen.place) from seen
      ), '[]') as neighbours
    from surprise as s
  `.execute(db)
  return rows[0]
}
