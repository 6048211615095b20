import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Conditions, joinConditions } from '../../db/fragments/conditions.ts'
import { computeSalienceAtInstant } from '../instant/instant-state.queries.ts'
import type { Question } from '../question/question.ts'
import { longestStatement } from '../scoring/newer-statements.ts'
import type { KnownText } from '../scoring/record-traits.ts'
import { isOfAssistant, speakerName, timeColumns, traitColumns } from './record-columns.queries.ts'
import { readStoredTime, type StoredTimes } from './record-time.ts'

export type CandidateState = KnownText & { id: string; salience: number; importance: number; isOpen: boolean }

type StoredState = Omit<CandidateState, 'created_at' | 'words'> & StoredTimes & { words: string | null }

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
    from unnest(${ids}::uuid[]) as candidate (id) cross join lateral (
      select r.id, ${computeSalienceAtInstant(question)} as salience, r.importance,
        ${timeColumns},
        r.sensitivity <= ${question.trust.maxSensitivity}::sensitivity as "isOpen",
        case when r.type <> 'entity' and c.words <= ${sql.lit(longestStatement)} then
          array_to_string(tsvector_to_array(c.search), ${sql.lit(betweenStems)}) end as words,
        case when m.record_id is not null then ${speakerName} end as speaker,
        m.record_id is not null and ${isOfAssistant} as "isOfAssistant",
        ${traitColumns}
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
