import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { writeJsonRows } from '../../../db/fragments/json/json-rows.ts'
import { openTo } from '../../../db/fragments/visibility.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { Edge } from '../../../domain/edges/edges.ts'
import { reserved } from '../../../domain/edges/reserved-edges.ts'
import type { Caller, Trust } from '../../../domain/trust/caller.ts'

/** Edges of an import. The target of an edge may come later in the stream than the edge. */

/**
 * An edge leads to a target that is seen whole. The inverse of a reserved edge says what a revision or a derivation did to the
 * target, so a reserved edge needs a target that the caller may change. `t` is the target.
 */
export function mayLinkTo(trust: Trust, predicate: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const isSeen = openTo(trust, 't')
  if (!trust.scopes) return isSeen
  return sql<SqlBool>`(${isSeen} and (${predicate} <> all(${[...reserved]}::text[]) or t.scope = any(${trust.scopes}::text[])))`
}

export type ImportContext = { importId: string; caller: Caller; now: Date }
export type ImportedEdge = Edge & { inverse: string | null }

/**
 * Writes, in both directions, the edges whose target exists and is visible, and the waiting edges whose target has
 * arrived. The others wait. Existing edges stay as they are. Only a record with a history may link to a forgotten
 * target. Waiting edges are looked up target by target: with an array of targets, a plan that was made while few edges
 * waited read all edges of the import at each portion.
 */
export async function linkEdges(
  tx: Transaction,
  edges: readonly (ImportedEdge & { is_whole: boolean })[],
  arrived: readonly string[],
  { importId, caller: { trust }, now }: ImportContext,
): Promise<void> {
  await sql`
    with given as materialized (
      select * from json_to_recordset(${writeJsonRows(edges)}::json) as given (
        source_id uuid, target_id uuid, predicate text, inverse text, weight float8, created_at timestamptz, is_whole bool
      )
    ), judged as materialized (
      select g.*, t.id is not null as is_open, t.forgotten_at
      from given as g
      left join lateral (
        select t.id, t.forgotten_at from records as t
        where t.id = g.target_id and ${mayLinkTo(trust, sql`g.predicate`)} limit 1
      ) as t on true
    ), come as (
      delete from awaiting_edges where ctid = any(array(
        select w.ctid from unnest(${arrived}::uuid[]) as arrived (id)
        cross join lateral (
          select ctid from awaiting_edges where import_id = ${importId}::uuid and target_id = arrived.id offset 0
        ) as w
      ))
      returning *
    ), coming as (
      insert into awaiting_edges (import_id, source_id, target_id, received_at, created_at, weight, predicate, inverse)
      select ${importId}::uuid, source_id, target_id, ${now}::timestamptz, created_at, weight, predicate, inverse
      from judged where not is_open
      on conflict do nothing
    ), ready as materialized (
      select source_id, target_id, predicate, inverse, weight, created_at
      from judged where is_open and (forgotten_at is null or is_whole)
      union all
      select source_id, target_id, predicate, inverse, weight, created_at from come
      where source_id in (select id from records)
    )
    ${insertReadyEdges}
  `.execute(tx)
}

const insertReadyEdges: RawBuilder<unknown> = sql`
    insert into relations (source_id, predicate, target_id, weight, created_at)
    select source_id, predicate, target_id, weight, created_at from (
      select source_id, predicate, target_id, weight, created_at from ready
      union all
      select target_id, inverse, source_id, weight, created_at from ready where inverse is not null
    ) as edge
    order by source_id, predicate, target_id
    on conflict do nothing`

export type LooseEdge = Pick<Edge, 'source_id' | 'predicate' | 'target_id'>

/**
 * After the end of the stream, takes the next waiting edges: writes those whose target exists now and returns the
 * others. Null when no edge is left.
 */
export async function resolveWaitingEdges(
  tx: Transaction,
  { importId, caller: { trust } }: ImportContext,
  limit: number,
): Promise<LooseEdge[] | null> {
  const { rows } = await sql<LooseEdge & { is_loose: boolean }>`
    with due as materialized (
      delete from awaiting_edges where ctid = any(array(
        select ctid from awaiting_edges where import_id = ${importId}::uuid limit ${limit} for update skip locked
      ))
      returning *
    ), judged as materialized (
      select d.*, exists (
        select from records as t
        where t.id = d.target_id and t.forgotten_at is null and ${mayLinkTo(trust, sql`d.predicate`)}
      ) and exists (select from records as s where s.id = d.source_id) as is_ready
      from due as d
    ), ready as materialized (
      select * from judged where is_ready
    ), written as (
      ${insertReadyEdges}
    )
    select source_id, predicate, target_id, not is_ready as is_loose from judged
  `.execute(tx)
  if (rows.length === 0) return null
  return rows.flatMap(({ is_loose: isLoose, ...edge }) => (isLoose ? [edge] : []))
}

/**
 * Why an edge is missing: `awaited`, another import holds it; `loose`, its target is missing; `absent`, the record
 * has no such edge.
 */
export type MissingEdge = LooseEdge & { cause: 'awaited' | 'loose' | 'absent' }

/** Returns the given edges that are missing. A target that is forgotten or hidden accepts no edge. */
export async function findMissingEdges(
  tx: Transaction,
  edges: readonly Edge[],
  { caller: { trust } }: ImportContext,
): Promise<MissingEdge[]> {
  const { rows } = await sql<MissingEdge>`
    with missing as materialized (
      select source_id, predicate, target_id
      from json_to_recordset(${writeJsonRows(edges)}::json) as given (source_id uuid, predicate text, target_id uuid)
      where not exists (
        select from relations as e
        where e.source_id = given.source_id and e.predicate = given.predicate and e.target_id = given.target_id
      )
    )
    select m.source_id, m.predicate, m.target_id, case
      when exists (
        select from awaiting_edges as w
        where w.source_id = m.source_id and w.target_id = m.target_id and w.predicate = m.predicate
      ) then 'awaited'
      when exists (
        select from records as t where t.id = m.target_id and t.forgotten_at is null and ${openTo(trust, 't')}
      ) then 'absent'
      else 'loose' end as cause
    from missing as m
  `.execute(tx)
  return rows
}
