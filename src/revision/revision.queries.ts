import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { openTo } from '../db/fragments/visibility.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Trust } from '../domain/trust/caller.ts'
import type { Lineage } from './revision.schemas.ts'

/**
 * Copies the edges of the sources to the target; if both have an edge, the larger weight wins. Two kinds are not
 * copied: edges between the sources, and edges from derived records, which were not made from the target and would
 * survive the erasure of their source. Edges to evidence of another type are copied with their descents, because
 * evidence for a source is also evidence for the merged record. The sources keep their edges as history.
 */
export async function copyLinks(
  tx: Transaction,
  sourceIds: readonly string[],
  targetId: string,
  now: Date,
): Promise<void> {
  await sql`
    with source as materialized (
      select unnest(${sourceIds}::uuid[]) as id
    ), one as materialized (
      select id from source union select ${targetId}::uuid
    ), target as materialized (
      select type from records where id = ${targetId}::uuid
    ), ground as materialized (
      select exists (select from descents as d where d.derived_id = ${targetId}::uuid and d.is_ground) as is_there
    ), descent as (
      insert into descents (derived_id, source_id, kind, is_ground)
      select ${targetId}::uuid, d.source_id, 'inherited', bool_or(d.is_ground) and (select is_there from ground)
      from descents as d
      where d.derived_id in (select id from source) and d.source_id not in (select id from one) and d.kind <> 'contest'
      group by d.source_id
      on conflict on constraint descents_pkey do nothing
    ), link as (
      select ${targetId}::uuid as source_id, e.predicate, e.target_id, e.weight
      from relations as e join records as far on far.id = e.target_id
      where e.source_id in (select id from source) and e.target_id not in (select id from one)
        and e.predicate not in ('supersedes', 'superseded_by', 'derives')
        and (e.predicate <> 'derived_from' or far.type <> (select type from target))
      union all
      select e.source_id, e.predicate, ${targetId}::uuid, e.weight
      from relations as e join records as far on far.id = e.source_id
      where e.target_id in (select id from source) and e.source_id not in (select id from one)
        and e.predicate not in ('supersedes', 'superseded_by', 'derived_from')
        and (e.predicate <> 'derives' or far.type <> (select type from target))
    )
    insert into relations (source_id, predicate, target_id, weight, created_at)
    select source_id, predicate, target_id, max(weight), ${now}::timestamptz
    from link
    group by source_id, predicate, target_id
    order by source_id, predicate, target_id
    on conflict on constraint relations_pkey
      do update set weight = greatest(relations.weight, excluded.weight)
  `.execute(tx)
}

/**
 * The whole tree around a record, nearest nodes first, through records of its type that the caller reads in full. Every
 * edge has its inverse, so each step finds the edges of a node by the primary key. `offset 0` enforces this plan:
 * without it a planner that expects a small tree reads all edges at every step.
 */
export async function findLineage(db: Database, id: string, trust: Trust, most: number): Promise<Lineage> {
  const { rows } = await sql<Lineage>`
    with recursive reached as (
      select r.id, r.type from records as r where r.id = ${id}::uuid
      union
      select next.id, reached.type
      from reached cross join lateral (
        select r.id
        from relations as e join records as r on r.id = e.target_id
        where e.source_id = reached.id and e.predicate in ('supersedes', 'superseded_by', 'derived_from', 'derives')
          and r.type = reached.type and ${openTo(trust)}
        offset 0
      ) as next
      where reached.type not in ('episodic', 'working')
    ), node as materialized (
      select id from reached limit ${most}
    )
    select
      (select json_agg(json_build_object(
          'id', r.id, 'type', r.type, 'status', r.status, 'created_at', r.created_at
        ) order by r.created_at, r.id)
        from node join records as r using (id)) as nodes,
      coalesce((select json_agg(json_build_object(
          'source_id', node.id, 'predicate', edge.predicate, 'target_id', edge.target_id
        ) order by edge.created_at, node.id, edge.predicate, edge.target_id)
        from node cross join lateral (
          select e.predicate, e.target_id, e.created_at
          from relations as e
          where e.source_id = node.id and e.predicate in ('supersedes', 'derived_from')
          offset 0
        ) as edge
        where (edge.target_id in (select id from node)) is true), '[]') as edges
  `.execute(db)
  return rows[0] ?? { nodes: [], edges: [] }
}

/** Frees the identifiers of replaced records, so that their successor can have them. */
export async function deleteIdentifiersOf(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('entity_identifiers')
    .where('record_id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
}
