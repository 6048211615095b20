import { sql } from 'kysely'
import { type Conditions, joinConditions } from '../db/conditions.ts'
import type { Database } from '../db/connection.ts'
import { openTo } from '../db/visibility.ts'
import {
  computeSalienceAtInstant,
  isValidAtInstant,
  listMatchingConditions,
  selectStatus,
} from './filters.queries.ts'
import { longestStatement } from './newer-statements.ts'
import type { PastState } from './past-record.ts'
import type { Question } from './question.ts'
import { readStoredTime, type StoredTimes } from './record-time.ts'
import type { WithheldState } from './suppression.ts'

/** Digests of names, the most specific first. */
type Names = { question: Question; digests: readonly Buffer[]; mostEntities: number }

/**
 * Finds the entities that have one of these names, in the order of the names. Each is looked up by itself: before the first analyze,
 * a plan for all of them read every record.
 */
export async function findNamed(
  db: Database,
  { question: { trust }, digests, mostEntities }: Names,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select h.record_id as id
    from unnest(${sql.val(digests)}::bytea[]) with ordinality as w (digest, place)
    cross join lateral (select record_id from handles where digest = w.digest offset 0) as h
    cross join lateral (
      select from records as r
      where r.id = h.record_id and r.type = 'entity' and r.forgotten_at is null
        and r.status in ('active', 'challenged') and ${openTo(trust)}
      offset 0
    ) as r
    group by h.record_id
    order by min(w.place), id
    limit ${mostEntities}
  `.execute(db)
  return rows.map(({ id }) => id)
}

export type NameSearch = {
  question: Question
  /** The named entities, in the order of their names. */
  named: readonly string[]
  conditions: Conditions
  /** Limits: records per kind of edge, and results. */
  mostOfAKind: number
  limit: number
}

/**
 * Finds entities and the records linked with them. The entity itself need not meet the conditions. Order: the named
 * entities, then records linked with more of them, then by weight and salience. Of an entity with very many edges of one
 * kind only the newest are read.
 */
export async function findByNames(db: Database, search: NameSearch): Promise<string[]> {
  const { question, named, conditions, mostOfAKind, limit } = search
  const { at, isPast } = question
  const age = isPast ? sql`and e.created_at <= ${at}::timestamptz` : sql``
  const { rows } = await sql<{ id: string }>`
    with recursive named as materialized (
      select id, place from unnest(${sql.val([...named])}::uuid[]) with ordinality as named (id, place)
    ), edge_kind as (
      select n.id, n.place, (
        select e.predicate from relations as e where e.source_id = n.id order by e.predicate limit 1
      ) as predicate
      from named as n
      union all
      select k.id, k.place, (
        select e.predicate from relations as e
        where e.source_id = k.id and e.predicate > k.predicate order by e.predicate limit 1
      )
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
        limit ${mostOfAKind}
      ) as e
    )
    select id from reached
    group by id
    order by min(hop), count(distinct entity) desc, min(place), max(weight) desc, max(salience) desc, id
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

export type CandidateState = {
  id: string
  salience: number
  importance: number
  /** When it happened or was stated. */
  created_at: Date
  isOpen: boolean
  /** The stems of a short text; null for a long one and for an entity, which states nothing. */
  words: readonly string[] | null
  /** Who wrote it, of a message with a name. */
  speaker: string | null
}

type StoredState = Omit<CandidateState, 'created_at' | 'words'> & StoredTimes & { words: string | null }

/**
 * The stored times of a record `r` with the content `c` and the message `m` of an episode. Those of a payload are read as text,
 * because PostgreSQL refuses an offset that a client may write.
 */
export const timeColumns = sql`
  round(date_part('epoch', coalesce(m.at, r.created_at)) * 1000) as at,
  case when r.type = 'episodic' and m.at is null then c.payload #>> '{timeline,0,t}' end as happened_at,
  case when r.type = 'semantic' then c.payload #>> '{evidence,0,timestamp}' end as stated_at
`

/** The name of who wrote the message with the content `c`. */
export const speakerName = sql`c.payload #>> '{conversation,name}'`

/** A character that no stem contains: a driver takes long to read a list. */
const betweenStems = '\u001f'

/** Reads the state of candidates at the instant of the question. `offset 0` makes PostgreSQL look up each by its id. */
export async function findCandidateStates(
  db: Database,
  ids: readonly string[],
  question: Question,
): Promise<CandidateState[]> {
  const { rows } = await sql<StoredState>`
    select state.*
    from unnest(${sql.val(ids)}::uuid[]) as candidate (id) cross join lateral (
      select r.id, ${computeSalienceAtInstant(question)} as salience, r.importance,
        ${timeColumns},
        r.sensitivity <= ${question.trust.maxSensitivity}::sensitivity as "isOpen",
        case when r.type <> 'entity' and c.words <= ${sql.lit(longestStatement)} then
          array_to_string(tsvector_to_array(c.search), ${sql.lit(betweenStems)}) end as words,
        case when m.record_id is not null then ${speakerName} end as speaker
      from records as r left join contents as c on c.record_id = r.id
      left join messages as m on r.type = 'episodic' and m.record_id = r.id
      where r.id = candidate.id
      offset 0
    ) as state
  `.execute(db)
  return rows.map(({ at, happened_at, stated_at, words, ...state }) => ({
    ...state,
    words: words?.split(betweenStems) ?? null,
    created_at: new Date(readStoredTime({ at, happened_at, stated_at })),
  }))
}

/**
 * Finds records whose status has changed since the instant of the question: the current order by salience does not
 * contain them at the right place.
 */
export async function findStatusChangedSince(
  db: Database,
  question: Question,
  conditions: Conditions,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id
    from (select distinct s.record_id from status_changes as s where s.at > ${question.at}::timestamptz) as moved
    join records as r on r.id = moved.record_id
    where ${joinConditions(conditions)}
    order by ${computeSalienceAtInstant(question)} desc, r.id
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** Reads the records that match in everything except status, validity and salience. */
export async function findWithheld(
  db: Database,
  ids: readonly string[],
  question: Question,
): Promise<(WithheldState & { id: string })[]> {
  const status = selectStatus(question)
  const { rows } = await sql<WithheldState & { id: string }>`
    select r.id, ${status} as status, ${isValidAtInstant(question)} as is_valid, ${computeSalienceAtInstant(question)} as salience,
      ${status} = 'invalidated' as is_retracted
    from records as r
    where r.id = any(${sql.val(ids)}::uuid[]) and ${joinConditions(listMatchingConditions(question, 'whole'))}
    order by r.id
  `.execute(db)
  return rows
}

/** Reads from the log the state of records at a past instant. */
export async function findPastStates(
  db: Database,
  ids: readonly string[],
  question: Question,
): Promise<(PastState & { id: string })[]> {
  const { rows } = await sql<PastState & { id: string }>`
    select r.id, ${selectStatus(question)} as status, ${computeSalienceAtInstant(question)} as salience, coalesce((
      select a.changes #>> '{payload.revision.status,0}' from audit_entries as a
      where a.record_id = r.id and a.at > ${question.at}::timestamptz and a.changes ? 'payload.revision.status'
      order by a.id limit 1
    ), c.payload #>> '{revision,status}') as revision
    from records as r join contents as c on c.record_id = r.id
    where r.id = any(${sql.val(ids)}::uuid[])
  `.execute(db)
  return rows
}
