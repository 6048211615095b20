import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Conditions, joinConditions } from '../../db/fragments/conditions.ts'
import { selectNextKind } from '../../db/fragments/edge-kinds.ts'
import { readFirst, type StoredRecord } from '../../records/index.ts'
import { computeSalienceAtInstant } from '../instant/instant-state.queries.ts'
import type { Question } from '../question/question.ts'
import type { Neighbour } from './expansion.ts'

/** A record may have as many kinds of edges as edges. Only the first in alphabetical order are followed. */
const maxKinds = 32

/** Which neighbours are read, and how many by one kind of edge. */
export type NeighbourSearch = { conditions: Conditions; maxPerKind: number }

/** Reads the neighbours of all given records that meet the conditions, in one statement. */
export async function findNeighbours(
  db: Database,
  ids: readonly string[],
  question: Question,
  search: NeighbourSearch,
): Promise<Neighbour[]> {
  const sources = sql`unnest(${ids}::uuid[])`
  const { rows } = await selectNeighbours(sources, question, search).execute(db)
  return rows
}

/** A date within JSON stays a text. */
type NeighbourInJson = Omit<Neighbour, 'created_at'> & { created_at: string }

export type RecordWithNeighbours = StoredRecord & { neighbours: NeighbourInJson[] }

/** Reads records with their neighbours, because a statement of their own would take longer than to find them. */
export async function findWithNeighbours(
  db: Database,
  ids: readonly string[],
  question: Question,
  search: NeighbourSearch,
): Promise<RecordWithNeighbours[]> {
  const neighbours = selectNeighbours(sql`(select r.id)`, question, search)
  const more = sql`, coalesce((select json_agg(near) from (${neighbours}) as near), '[]') as neighbours`
  return readFirst<{ neighbours: NeighbourInJson[] }>(db, question.trust, ids, more)
}

/**
 * For each record and kind of edge selects the newest neighbours, so that neither a hub nor its most common kind of edge makes
 * PostgreSQL read more than the node limit needs.
 */
function selectNeighbours(
  sources: RawBuilder<unknown>,
  question: Question,
  { conditions, maxPerKind }: NeighbourSearch,
): RawBuilder<Neighbour> {
  const { at, isPast, trust } = question
  const age = isPast ? sql`and e.created_at <= ${at}::timestamptz` : sql``
  return sql<Neighbour>`
    select n.source_id, n.predicate, n.target_id, n.weight, n.created_at, n.salience, n.importance,
      n.sensitivity <= ${trust.maxSensitivity}::sensitivity as "isOpen"
    from ${sources} as source (id)
    cross join lateral (
      with recursive edge_kind as (
        select ${selectNextKind(sql`source.id`)} as predicate
        union all
        select ${selectNextKind(sql`source.id`, sql`k.predicate`)}
        from edge_kind as k where k.predicate is not null
      )
      select predicate from edge_kind where predicate is not null limit ${maxKinds}
    ) as k
    cross join lateral (
      select e.source_id, e.predicate, e.target_id, e.weight, e.created_at, r.sensitivity, r.importance,
        ${computeSalienceAtInstant(question)} as salience
      from relations as e join records as r on r.id = e.target_id
      where e.source_id = source.id and e.predicate = k.predicate ${age}
        and ${joinConditions(conditions)}
      order by e.target_id desc
      limit ${maxPerKind}
    ) as n
  `
}
