import { sql } from 'kysely'
import { createEffectSaving } from '../db/fragments/effect-saving.ts'
import type { Transaction } from '../db/transaction.ts'

/** The id of a fact or practice, and of an episode that it is derived from. */
export type EpisodeLink = { derived: string; episode: string }

/**
 * Links facts and practices to their episodes, in both directions, and records the descent. Returns only the links of episodes
 * that the record does not count yet: one that an undo retracted has lost its links, and counts its episodes when it is active
 * again. A record with no recorded ground gets none by a link. With the id of a run in `effectsRunId` it also keeps the rows for
 * that run.
 */
export async function insertEpisodeLinks(
  tx: Transaction,
  links: readonly EpisodeLink[],
  now: Date,
  effectsRunId?: string,
): Promise<EpisodeLink[]> {
  const saving = createEffectSaving(effectsRunId)
  const { rows } = await sql<EpisodeLink>`
    with link as materialized (
      select * from unnest(
        ${links.map(({ derived }) => derived)}::uuid[], ${links.map(({ episode }) => episode)}::uuid[]
      ) as link (derived, episode)
    ), descent as (
      insert into descents (derived_id, source_id, kind, is_ground)
      select l.derived, l.episode, 'consolidation', exists (
        select from descents as d where d.derived_id = l.derived and d.is_ground offset 0
      )
      from link as l
      on conflict on constraint descents_pkey do nothing
      ${saving.returnRow(sql`derived_id`, sql`to_jsonb(descents)`)}
    ), edge as (
      insert into relations (source_id, predicate, target_id, weight, created_at)
      select derived, 'derived_from', episode, 1, ${now}::timestamptz from link
      union all
      select episode, 'derives', derived, 1, ${now}::timestamptz from link
      order by 1, 2, 3
      on conflict on constraint relations_pkey do nothing
      returning source_id, predicate, target_id ${saving.addRow(derivedId, sql`to_jsonb(relations)`)}
    ) ${saving.saveRows({ relations: 'edge', descents: 'descent' })}
    select source_id as derived, target_id as episode from edge
    where predicate = 'derived_from' and not exists (
      select from descents as d
      where d.derived_id = edge.source_id and d.source_id = edge.target_id and d.kind = 'consolidation'
      offset 0
    )
  `.execute(tx)
  return rows
}

const derivedId = sql`case predicate when 'derived_from' then source_id else target_id end`
