import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { inversePairs } from '../domain/edges/edges.ts'
import { findBreaches } from './breaches.queries.ts'
import type { Finding } from './law.ts'

const pairs = sql.join(
  inversePairs.flatMap(([forward, backward]) => [
    sql`(${sql.lit(forward)}, ${sql.lit(backward)})`,
    sql`(${sql.lit(backward)}, ${sql.lit(forward)})`,
  ]),
)

/**
 * A record has an edge to each record it was made from, as long as both exist. A lost edge leaves a gap in the
 * lineage. A record that a revert or an undo retired, or a purge removed, has lost its edges and keeps its descent, which an
 * erase follows.
 */
export async function findLostDescent(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select concat_ws(' ', d.derived_id, d.kind, d.source_id), (
          r.id is not null
          or exists (select from departures as gone where gone.id = d.derived_id and gone.kind = 'purged')
        )
        and not exists (select from departures as gone where gone.id = d.source_id and gone.kind = 'erased')
        and (s.id is null or r.id is null or not d.kind in ('supersede', 'fold', 'capture', 'consolidation', 'dream', 'fork', 'merge')
          or r.type = 'entity' and d.kind = 'capture'
          or exists (
            select from status_changes as moved
            where moved.record_id = r.id and moved.new = 'invalidated' and moved.step in ('revert', 'undo')
          )
          or exists (
            select from relations as e
            where e.source_id = d.derived_id and e.target_id = d.source_id
              and e.predicate = case when d.kind in ('supersede', 'fold') then 'supersedes' else 'derived_from' end
          ))
      from descents as d
      left join records as r on r.id = d.derived_id
      left join records as s on s.id = d.source_id
    `,
  )
}

/**
 * A record that the service derived has descent, or an erase would not find it; and a successor has an edge to its
 * predecessor.
 */
export async function findLostOrigins(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, exists (
        select from descents as d where d.derived_id = r.id
      )
      from records as r
      join relations as e on e.source_id = r.id and e.predicate = 'derived_from' and e.created_at = r.created_at
      where r.type in ('semantic', 'competence', 'plan_graph') and exists (
        select from audit_entries as a
        where a.record_id = r.id and a.action = 'create' and (a.run_id is not null or a.rationale = 'captured')
      )
      union all
      select r.id, exists (
        select from relations as e
        where e.source_id = r.id and e.predicate = 'supersedes' and e.target_id = old.id
      )
      from records as r
      join contents as c on c.record_id = r.id
      join records as old on old.id::text = c.payload #>> '{revision,supersedes}'
      join contents as past on past.record_id = old.id
        and past.payload #>> '{revision,superseded_by}' = r.id::text
      where r.type = 'semantic' and old.status = 'superseded'
    `,
  )
}

/** An edge with an inverse exists in both directions, with one weight. */
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
