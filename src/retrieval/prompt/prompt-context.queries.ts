import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Conditions, joinConditions } from '../../db/fragments/conditions.ts'
import { graphRelationRef } from '../../domain/identity/handles.ts'
import type { RecordType } from '../../domain/schemas/vocabulary.ts'
import type { Question } from '../question/question.ts'

export type HandleSearch = {
  type: RecordType
  /** The most important first. */
  digests: readonly Buffer[]
  conditions: Conditions
  /** Records of these scopes come first. */
  scopes?: readonly string[] | undefined
  limit: number
}

/** Finds the records of a type that have one of the handles and meet the conditions. */
export async function findByHandles(
  db: Database,
  { type, digests, conditions, scopes, limit }: HandleSearch,
): Promise<string[]> {
  const near = scopes ? sql`bool_and(r.scope = any(${scopes}::text[])) desc,` : sql``
  const { rows } = await sql<{ id: string }>`
    select h.record_id as id
    from unnest(${digests}::bytea[]) with ordinality as w (digest, place)
    cross join lateral (select record_id from handles where digest = w.digest offset 0) as h
    cross join lateral (
      select r.scope from records as r where r.id = h.record_id and r.type = ${type} and ${joinConditions(conditions)} offset 0
    ) as r
    group by h.record_id
    order by ${near} min(w.place), h.record_id desc
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** Reads the names of those of the records that are entities and meet the conditions. */
export async function findEntityNames(
  db: Database,
  ids: readonly string[],
  conditions: Conditions,
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select r.id, coalesce(c.payload ->> 'canonical_name', '') as name
    from records as r join contents as c on c.record_id = r.id
    where r.id = any(${ids}::uuid[]) and r.type = 'entity' and ${joinConditions(conditions)}
  `.execute(db)
  return rows
}

export type NewerState = { older: string; newer: string }

/** Finds for each of the working records the newest one of its task that meets the conditions. Each task is looked up once. */
export async function findNewerStates(
  db: Database,
  ids: readonly string[],
  conditions: Conditions,
): Promise<NewerState[]> {
  const { rows } = await sql<NewerState>`
    select unnest(d.ids) as older, newest.id as newer
    from (
      select h.digest, h.scope, mine.sensitivity, array_agg(mine.id order by mine.id) as ids
      from handles as h join records as mine on mine.id = h.record_id
      where h.record_id = any(${ids}::uuid[])
      group by h.digest, h.scope, mine.sensitivity
    ) as d
    cross join lateral (
      select r.id
      from handles as t join records as r on r.id = t.record_id
      where t.digest = d.digest and t.scope = d.scope and r.type = 'working' and r.sensitivity = d.sensitivity
        and ${joinConditions(conditions)}
      order by r.updated_at desc, r.id desc
      limit 1
    ) as newest
    order by older
  `.execute(db)
  return rows
}

export type Dispute = { one: string; other: string; is_stated: boolean }

/**
 * Finds the facts that meet the conditions and contradict one of the given. `is_stated` tells an edge that says so from
 * the trace of a contest, which may have ended.
 */
export async function findDisputes(
  db: Database,
  ids: readonly string[],
  { at, isPast }: Question,
  { conditions, limit }: { conditions: Conditions; limit: number },
): Promise<Dispute[]> {
  const age = isPast ? sql`and e.created_at <= ${at}::timestamptz` : sql``
  const { rows } = await sql<Dispute>`
    select d.one, d.other, bool_or(d.predicate <> 'contested_by') as is_stated
    from (
      select e.source_id as one, e.target_id as other, e.predicate from relations as e
      where e.source_id = any(${ids}::uuid[])
        and e.predicate in ('contradicts', 'contradicted_by', 'contested_by') ${age}
      union all
      select e.target_id, e.source_id, e.predicate from relations as e
      where e.target_id = any(${ids}::uuid[]) and e.predicate = 'contested_by' ${age}
    ) as d
    join records as r on r.id = d.other
    where r.type = 'semantic' and ${joinConditions(conditions)}
    group by d.one, d.other
    order by d.one, d.other desc
    limit ${limit}
  `.execute(db)
  return rows
}

/** More values of one topic are a list, such as what a person likes, and do not contradict each other. */
const mostOpposites = 2

/**
 * Finds the facts that meet the conditions and say something else about the topic of a given fact of the same scope. Pairs with an
 * edge about their contradiction are left out. What holds only under a condition contradicts nothing. Two relations of an imported
 * graph do not contradict each other, nor do two facts of one message, which may name two children.
 */
export async function findOpposites(
  db: Database,
  ids: readonly string[],
  conditions: Conditions,
): Promise<Dispute[]> {
  const isUnconditional = (id: RawBuilder<unknown>) => sql`exists (
    select from contents as u
    where u.record_id = ${id} and u.payload #>> '{validity,mode}' is distinct from 'conditional'
  )`
  const isRelation = (id: RawBuilder<unknown>) => sql`exists (
    select from contents as g
    where g.record_id = ${id} and g.provenance #>> '{sources,0,ref}' like ${`${graphRelationRef}%`}
  )`
  const { rows } = await sql<Dispute>`
    select h.record_id as one, other.id as other, true as is_stated
    from handles as h
    join records as mine on mine.id = h.record_id and mine.type = 'semantic'
    cross join lateral (
      select array_agg(t.record_id) as others
      from (
        select t.record_id
        from handles as t join records as r on r.id = t.record_id
        where t.digest = h.digest and t.scope = h.scope and t.detail <> h.detail
          and r.type = 'semantic' and ${joinConditions(conditions)} and ${isUnconditional(sql`r.id`)}
        limit ${sql.lit(mostOpposites + 1)}
      ) as t
    ) as o
    cross join lateral unnest(o.others) as other (id)
    where h.record_id = any(${ids}::uuid[]) and cardinality(o.others) <= ${sql.lit(mostOpposites)}
      and ${isUnconditional(sql`h.record_id`)}
      and not (${isRelation(sql`h.record_id`)} and ${isRelation(sql`other.id`)})
      and not exists (
        select from relations as d
        join relations as e on e.source_id = other.id and e.predicate = d.predicate and e.target_id = d.target_id
        join contents as m on m.record_id = d.target_id and m.payload ? 'conversation'
        where d.source_id = h.record_id and d.predicate = 'derived_from'
      )
      and not exists (
        select from relations as e
        where e.predicate in ('contradicts', 'contradicted_by', 'contested_by')
          and ((e.source_id = h.record_id and e.target_id = other.id)
            or (e.target_id = h.record_id and e.source_id = other.id))
      )
    order by one, other desc
  `.execute(db)
  return rows
}
