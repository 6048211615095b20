import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { computeKeepingOf, computeUnusedKeepingOf } from '../../db/fragments/lifecycle/keeping.ts'
import { computeSalienceAt } from '../../db/fragments/lifecycle/salience.ts'
import { budgetGraceMs } from '../../domain/importance/keeping.ts'
import { subtractMilliseconds } from '../../kernel/units.ts'

/** The order in which a budget keeps records. The rule itself is `computeKeeping` in domain/importance/keeping.ts. */

/** The `keeping` of a row `r` of `records`. */
export function computeKeepingAt(now: Date): RawBuilder<number> {
  return computeKeepingOf(sql`r`, computeSalienceAt(now))
}

/** The predicate of the index `records_keeping`. */
const isUnguarded = sql<SqlBool>`r.forgotten_at is null and not r.pinned and r.deletion_policy = 'auto_prune'`

/** Records of one half-life keep their order. Records without a `decay_rank` are in lane 0, by their stored salience. */
const lane = sql`case when r.decay_rank is null then 0 else r.half_life_seconds end`
const rank = sql`keeping_rank(r.importance, r.base_importance, r.decay_rank, r.salience)`

export type Lane = { type: string; layer: string; half_life: number }

/** The types, layers and half-lives in a scope, with one index probe for each combination. */
export async function listBudgetLanes(db: Database, scope: string): Promise<Lane[]> {
  const { rows } = await sql<Lane>`
    with recursive lanes as (
      (
        select r.type, r.layer, ${lane} as half_life from records as r
        where r.scope = ${scope} and ${isUnguarded}
        order by r.type, r.layer, ${lane}
        limit 1
      )
      union all
      select next.* from lanes cross join lateral (
        select r.type, r.layer, ${lane} as half_life from records as r
        where r.scope = ${scope} and ${isUnguarded}
          and (r.type, r.layer, ${lane}) > (lanes.type, lanes.layer, lanes.half_life)
        order by r.type, r.layer, ${lane}
        limit 1
      ) as next
    )
    select type, layer, half_life from lanes
  `.execute(db)
  return rows
}

/** Which records are in the order: those after their grace period, those within it, or both (null). */
export type Eligibility = { scope: string; now: Date; revisedBefore: Date; isInGrace: boolean | null }

function isWithinGrace(now: Date): RawBuilder<SqlBool> {
  const before = subtractMilliseconds(now, budgetGraceMs)
  return sql<SqlBool>`(greatest(r.created_at, r.restored_at) > ${before}::timestamptz)`
}

/** On rows `r`. A record that is due for pruning is forgotten for that reason. */
export function isEligible({ scope, now, revisedBefore, isInGrace }: Eligibility): RawBuilder<SqlBool> {
  const grace = isInGrace === null ? sql`` : sql`and ${isInGrace ? sql`` : sql`not`} ${isWithinGrace(now)}`
  return sql<SqlBool>`r.scope = ${scope} and ${isUnguarded} ${grace}
    and not ${isDueForPruning({ now, revisedBefore })}`
}

/** On rows `r` that are not forgotten. */
export function isDueForPruning({ now, revisedBefore }: { now: Date; revisedBefore: Date }) {
  return sql<SqlBool>`(r.prune_at is not null and r.prune_at <= ${now}::timestamptz
    and (r.status in ('active', 'challenged') or r.anchored_at <= ${revisedBefore}::timestamptz))`
}

/** A position in a lane, after which the next records are read. */
export type LanePosition = Lane & { rank: number | '-infinity'; id: string }
export type Candidate = {
  lane: number
  id: string
  rank: number
  keeping: number
  /** Without its uses. The index has this order. */
  unused_keeping: number
  size: number
  is_in_grace: boolean
}

/**
 * Reads the next records of each lane, those with the lowest `keeping` first. `lane` is the index of the lane in the list. `size` is
 * in the unit of the budget.
 */
export async function readBudgetLanes(
  db: Database,
  {
    lanes,
    limit,
    hasBytes,
    ...eligibility
  }: Eligibility & { lanes: readonly LanePosition[]; limit: number; hasBytes: boolean },
): Promise<Candidate[]> {
  const size = hasBytes
    ? sql`(select record_bytes(c.tags, c.payload, c.provenance, c.interpretation) from contents as c where c.record_id = r.id)`
    : sql`1::int8`
  const { rows } = await sql<Candidate>`
    select (lanes.position - 1)::int4 as lane, next.id, next.rank, next.keeping, next.unused_keeping, next.size, next.is_in_grace
    from jsonb_to_recordset(${JSON.stringify(lanes.map((each, index) => ({ ...each, position: index + 1 })))}::jsonb)
      as lanes (position int4, type record_type, layer memory_layer, half_life int8, rank float8, id uuid)
    cross join lateral (
      select r.id, ${rank} as rank, ${computeKeepingAt(eligibility.now)} as keeping,
        ${computeUnusedKeepingOf(sql`r`, computeSalienceAt(eligibility.now))} as unused_keeping, ${size} as size,
        ${isWithinGrace(eligibility.now)} as is_in_grace
      from records as r
      where r.type = lanes.type and r.layer = lanes.layer and ${lane} = lanes.half_life
        and (${rank}, r.id) > (lanes.rank, lanes.id) and ${isEligible(eligibility)}
      order by ${rank}, r.id
      limit ${limit}
    ) as next
    order by lanes.position, next.rank, next.id
  `.execute(db)
  return rows
}
