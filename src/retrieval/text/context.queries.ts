import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { padPlaces } from './search-plan.ts'
import { occurrences } from './word-conditions.queries.ts'

export type Surroundings = {
  /** The message that was found. */
  hit: string
  /** It and its neighbours, in the order of the conversation. */
  ids: string[]
  times: Date[]
}

/**
 * The messages around each that was found, among those that may lend their words: `lending` is a condition on
 * `records as r`. A message that fails it is passed over, as if it did not exist.
 */
export async function findSurroundings(
  db: Database,
  ids: readonly string[],
  lending: readonly RawBuilder<SqlBool>[],
  distance: number,
): Promise<Surroundings[]> {
  const beside = (order: RawBuilder<unknown>, isBeyond: RawBuilder<unknown>) => sql`
    select n.record_id, n.at, n.arrival
    from messages as n join records as r on r.id = n.record_id
    where n.scope = m.scope and n.conversation = m.conversation and (n.at, n.arrival) ${isBeyond} (m.at, m.arrival)
      and ${sql.join([...lending], sql` and `)}
    order by n.at ${order}, n.arrival ${order}
    limit ${sql.lit(distance)}`
  const { rows } = await sql<Surroundings>`
    select m.record_id as hit, array_agg(near.record_id order by near.at, near.arrival) as ids,
      array_agg(near.at order by near.at, near.arrival) as times
    from unnest(${sql.val([...ids])}::uuid[]) as found (id)
    join messages as m on m.record_id = found.id
    cross join lateral (
      select m.record_id, m.at, m.arrival
      union all (${beside(sql`desc`, sql`<`)})
      union all (${beside(sql`asc`, sql`>`)})
    ) as near
    group by m.record_id
  `.execute(db)
  return rows
}

export type WordsOfMessage = { id: string; counts: number[]; words: number; is_answer: boolean }

/** How often each word occurs in each record, and whether the record may be an answer itself. */
export async function countWords(
  db: Database,
  ids: readonly string[],
  words: readonly string[],
  answering: readonly RawBuilder<unknown>[],
): Promise<WordsOfMessage[]> {
  const counts = padPlaces(words).map(occurrences)
  const { rows } = await sql<WordsOfMessage>`
    select c.record_id as id, array[${sql.join(counts)}]::float8[] as counts, c.words,
      (${sql.join([...answering], sql` and `)}) as is_answer
    from unnest(${sql.val([...ids])}::uuid[]) as asked (id) cross join lateral (
      select * from contents as c where c.record_id = asked.id offset 0
    ) as c cross join lateral (
      select * from records as r where r.id = asked.id offset 0
    ) as r
  `.execute(db)
  return rows
}
