import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Conditions, joinConditions } from '../../db/fragments/conditions.ts'
import { selectNextKind } from '../../db/fragments/edge-kinds.ts'
import { openTo } from '../../db/fragments/visibility.ts'
import { unscoped } from '../../domain/trust/caller.ts'
import { listSearchedScopes, type Question } from '../question/question.ts'

/** Digests of names, the most specific first. */
type Names = { question: Question; digests: readonly Buffer[]; maxEntities: number }

/**
 * Finds the entities that have one of these names, in the order of the names. It looks in the searched scopes and among entities
 * without a scope: the others may be many, and no record that can be an answer is linked with them. Each name is looked up by
 * itself: before the first analyze, a plan for all of them read every record.
 */
export async function findNamedEntities(
  db: Database,
  { question, digests, maxEntities }: Names,
): Promise<string[]> {
  const { trust } = question
  const scopes = listSearchedScopes(question)
  const inScopes = scopes ? sql`and scope = any(${[...scopes, unscoped]}::text[])` : sql``
  const { rows } = await sql<{ id: string }>`
    select h.record_id as id
    from unnest(${digests}::bytea[]) with ordinality as w (digest, place)
    cross join lateral (select record_id from handles where digest = w.digest ${inScopes} offset 0) as h
    cross join lateral (
      select from records as r
      where r.id = h.record_id and r.type = 'entity' and r.forgotten_at is null
        and r.status in ('active', 'challenged') and ${openTo(trust)}
      offset 0
    ) as r
    group by h.record_id
    order by min(w.place), id
    limit ${maxEntities}
  `.execute(db)
  return rows.map(({ id }) => id)
}

export type NameSearch = {
  question: Question
  /** The named entities, in the order of their names. */
  named: readonly string[]
  conditions: Conditions
  /** Limits: records per kind of edge, and results. */
  maxPerKind: number
  limit: number
}

/**
 * Finds entities and the records linked with them. The entity itself need not meet the conditions. Order: the named
 * entities, then records linked with more of them, then by weight and salience. Of an entity with very many edges of one
 * kind only the newest are read.
 */
export async function findByNames(db: Database, search: NameSearch): Promise<string[]> {
  const { question, named, conditions, maxPerKind, limit } = search
  const { at, isPast } = question
  const age = isPast ? sql`and e.created_at <= ${at}::timestamptz` : sql``
  const { rows } = await sql<{ id: string }>`
    with recursive named as materialized (
      select id, place from unnest(${named}::uuid[]) with ordinality as named (id, place)
    ), edge_kind as (
      select n.id, n.place, ${selectNextKind(sql`n.id`)} as predicate from named as n
      union all
      select k.id, k.place, ${selectNextKind(sql`k.id`, sql`k.predicate`)}
      from edge_kind as k where k.predicate is not null
    ), reached as (
      select n.id, n.id as entity, n.place, 0 as hop, 1::float8 as weight, r.salience
      from named as n join records as r on r.id = n.id where ${joinConditions(conditions)}
      union all
      select e.target_id, k.id, k.place, 1, e.weight, e.salience
      from (select * from edge_kind where predicate is not null limit 200) as k
      cross join lateral (
        select e.target_id, e.weight, r.salience
        from relations as e join records as r on r.id = e.target_id
        where e.source_id = k.id and e.predicate = k.predicate ${age} and ${joinConditions(conditions)}
        order by e.target_id desc
        limit ${maxPerKind}
      ) as e
    )
    select id from reached
    group by id
    order by min(hop), count(distinct entity) desc, min(place), max(weight) desc, max(salience) desc, id
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}
