import { type RawBuilder, sql } from 'kysely'
import { object, plain, text, time, word } from '../../db/fragments/json/json-text.ts'
import { isNotPurged, openTo } from '../../db/fragments/visibility.ts'
import { inversePairs } from '../../domain/edges/edges.ts'
import type { Trust } from '../../domain/trust/caller.ts'

type Fragment = RawBuilder<unknown>

export type ExportContext = {
  trust: Trust
  now: Date
  filters: { include_forgotten?: boolean; embeddings?: boolean }
}

/** The visible edges of row `r`, as the items of a list, and whether the target of an edge `e` is visible. */
export function buildEdges(context: ExportContext): { edges: Fragment; isTargetVisible: Fragment } {
  const isTargetVisible = checkTarget(context)
  return { edges: selectVisibleEdges(isTargetVisible), isTargetVisible }
}

/** A lookup for each edge: with a join the planner would sometimes read all records for each page. */
function checkTarget({ trust, now, filters }: ExportContext): Fragment {
  const isKept = filters.include_forgotten ? isNotPurged(now, 't') : sql`t.forgotten_at is null`
  return sql`(select ${isKept} and ${openTo(trust, 't')} from records as t where t.id = e.target_id)`
}

const inversePredicates = sql.join(inversePairs.map(([, predicate]) => sql.lit(predicate)))
/** A hub may have a million inverse edges. The export contains a part of them: the record at the other end has the edge too. */
const maxInverse = 1_000

/** Only a record with more edges than `maxInverse` is asked for its inverse edges apart. */
function selectVisibleEdges(isTargetVisible: Fragment): Fragment {
  const selectEdges = (condition: Fragment) => sql`
    select e.predicate, e.target_id, e.weight, e.created_at from relations as e
    where e.source_id = r.id ${condition} and ${isTargetVisible}`
  const writeEdges = (from: Fragment) => sql`
    select string_agg(${object([
      text('predicate', sql`e.predicate`),
      word('target_id', sql`e.target_id`),
      plain('weight', sql`e.weight`),
      word('created_at', time(sql`e.created_at`)),
    ])}, ',' order by e.created_at, e.target_id, e.predicate)
    from (${from}) as e`
  const first = sql`select from relations as e where e.source_id = r.id limit ${sql.lit(maxInverse + 1)}`
  return sql`
    select case when (select count(*) from (${first}) as few) <= ${sql.lit(maxInverse)} then (${writeEdges(selectEdges(sql``))})
    else (${writeEdges(sql`
      (${selectEdges(sql`and e.predicate not in (${inversePredicates})`)})
      union all
      (${selectEdges(sql`and e.predicate in (${inversePredicates})`)}
        order by e.predicate desc, e.target_id desc limit ${sql.lit(maxInverse)})
    `)}) end`
}
