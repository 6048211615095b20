import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { inversePairs } from '../../relations/inverses.ts'
import type { Finding } from '../law.ts'
import { findBreaches } from '../queries.ts'

const pairs = sql.join(
  inversePairs.flatMap(([forward, backward]) => [
    sql`(${sql.lit(forward)}, ${sql.lit(backward)})`,
    sql`(${sql.lit(backward)}, ${sql.lit(forward)})`,
  ]),
)

/** What has an inverse is written both ways, with one weight. */
export async function findOneWayEdges(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select concat_ws(' ', e.source_id, e.predicate, e.target_id), back.weight = e.weight
      from relations as e
      join (values ${pairs}) as pair (predicate, inverse) on pair.predicate = e.predicate
      left join relations as back
        on back.source_id = e.target_id and back.predicate = pair.inverse and back.target_id = e.source_id
    `,
  )
}
