import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { hasIdIn } from '../../db/fragments/id-condition.ts'
import { computeDayOfLife, startOfDay } from '../../db/fragments/lifecycle/record-days.ts'
import type { AccessKind } from '../../db/schema.ts'
import type { Transaction } from '../../db/transaction.ts'
import { accessWeight, type LoggedAccesses, recentAccesses } from '../../domain/importance/access-weights.ts'
import {
  importanceTolerance,
  layerBoost,
  neverFading,
  scoreConstants,
  sourceTrust,
  importanceWeights as weights,
} from '../../domain/importance/importance.ts'

type Fragment = RawBuilder<unknown>

/** Above this number of accesses the distinct days are counted by index jumps instead of one by one. */
const manyAccesses = 100

/**
 * The importance of rows named `r`, exact as of `now`: the same score as `scoreImportance`, built from the same
 * constants. Put `join` after the table; it adds columns named `used`.
 */
export function computeImportance(now: Date): { join: RawBuilder<unknown>; importance: RawBuilder<number> } {
  return { join: joinAccesses(now), importance: score }
}

function joinAccesses(now: Date): Fragment {
  const computeAge = (instant: Fragment) =>
    sql`greatest(0::float8, date_part('epoch', ${now}::timestamptz - ${instant}) / 86400)`
  return sql`
    left join lateral (
      select life.age, life.since, ${distinctDays} as days, count(recent.age)::integer as known,
        coalesce(sum(recent.weight), 0) as known_weight,
        coalesce(sum(recent.weight / sqrt(greatest(recent.age, ${minAge}))), 0) as activation,
        greatest(coalesce(max(recent.age), life.since), ${minAge}) as nearest,
        greatest(life.age, ${minAge}) as oldest,
        ${weightedUses} as weight
      from (
        select least(created.age, ${computeAge(sql`coalesce(r.last_accessed_at, r.created_at)`)}) as since, created.age
        from (select ${computeAge(sql`r.created_at`)} as age) as created
      ) as life
      left join lateral (
        select least(life.age, ${computeAge(sql`l.at`)}) as age, ${writeCase(sql`l.kind`, accessWeight)} as weight
        from access_log as l
        where l.record_id = r.id and r.access_count > 0
        order by l.at desc, l.kind
        limit ${sql.lit(recentAccesses)}
      ) as recent on true
      group by life.age, life.since
    ) as used on true`
}

/** The sum of access weights of a row named `r`: a served access counts a part of a use. */
export const weightedUses = sql<number>`
  (r.access_count - r.served_count + ${writeFloat(accessWeight.served)} * r.served_count)`

/**
 * The sum of access weights since the last demotion, as far as the log reaches. The uses before it would undo the demotion.
 */
export const weightedUsesSinceDemotion = sql<number>`(
  case when r.demoted_at is null then ${weightedUses} else coalesce((
    select sum(${writeCase(sql`l.kind`, accessWeight)}) from access_log as l
    where l.record_id = r.id and l.at > r.demoted_at
  ), 0) end
)`

/** The number of distinct days, of 24 hours since its creation, on which a row named `r` was accessed. */
const distinctDays: RawBuilder<number> = sql<number>`
  case when r.access_count = 0 then 0 else
    coalesce((select f.days from access_folds as f where f.record_id = r.id), 0)
    + case when r.access_count <= ${sql.lit(manyAccesses)} then (
      select count(distinct ${computeDayOfLife(sql`l.at`)}) from access_log as l where l.record_id = r.id
    ) else (
      with recursive visited (at) as (
        (select l.at from access_log as l where l.record_id = r.id order by l.at desc limit 1)
        union all
        select (
          select l.at from access_log as l
          where l.record_id = r.id and ${computeDayOfLife(sql`v.at`)} > 0
            and l.at < ${startOfDay(computeDayOfLife(sql`v.at`))}
          order by l.at desc
          limit 1
        )
        from visited as v where v.at is not null
      )
      select count(at) from visited
    ) end
  end`

const minAge = writeFloat(scoreConstants.minAgeDays)
/** The trust in the source of a row named `r`. */
export const sourceTrustOfRow = writeCase(sql`r.source_type`, sourceTrust)
const fading = sql`r.layer not in (${sql.join([...neverFading].map((layer) => sql.lit(layer)))})`

/**
 * Halves with each half-life since the last access. The exponent is limited, because PostgreSQL raises an error on
 * underflow.
 */
const recency = sql`
  case when ${fading} then power(2::float8, -least(
    used.since * (1 + ${writeFloat(scoreConstants.distrustPenalty)} * (1 - ${sourceTrustOfRow})) / ${writeFloat(scoreConstants.halfLifeDays)},
    ${writeFloat(scoreConstants.maxHalfLives)}
  )) else 1 end`

const stability = sql`
  case when r.access_count = 0 then 0
    else least(1::float8, used.days / least(r.access_count::float8, floor(used.age) + 1)) end`

const activation = sql`
  1 / (1 + exp(-(${writeFloat(scoreConstants.activationShift)} + ln(used.activation
    + 2 * (1 + greatest(0::float8, used.weight - used.known_weight)) / (sqrt(used.oldest) + sqrt(
      case when used.weight <= used.known_weight and used.known < ${sql.lit(recentAccesses)}
        then used.oldest else used.nearest end
    ))
  )) / ${writeFloat(scoreConstants.activationScale)}))`

const factors: Record<keyof typeof weights, Fragment> = {
  base: sql`r.base_importance`,
  access: saturate(sql`used.weight`, scoreConstants.saturatingAccesses),
  recency,
  valence: sql`abs(r.emotional_valence)`,
  stability,
  layer: writeCase(sql`r.layer`, layerBoost),
  trust: sourceTrustOfRow,
  confirmations: saturate(sql`r.confirmation_count`, scoreConstants.saturatingConfirmations),
  activation,
}

/** PostgreSQL raises an error when a product underflows, and one such record would stop the scores of all. */
const minFactor = writeFloat(1e-300)

const terms = (Object.keys(weights) as (keyof typeof weights)[]).map(
  (name) => sql`${writeFloat(weights[name])} * greatest(${factors[name]}, ${minFactor})`,
)
const score = sql<number>`greatest(0::float8, least(1::float8, ${sql.join(terms, sql` + `)}))`

function saturate(count: Fragment, full: number): Fragment {
  return sql`least(1::float8, ln(1 + ${count}::float8) / ${writeFloat(Math.log1p(full))})`
}

function writeCase(column: Fragment, values: Readonly<Record<string, number>>): Fragment {
  const cases = Object.entries(values).map(
    ([name, value]) => sql`when ${sql.lit(name)} then ${writeFloat(value)}`,
  )
  return sql`case ${column} ${sql.join(cases, sql` `)} end`
}

function writeFloat(value: number): Fragment {
  return sql`${sql.lit(value)}::float8`
}

/** Reads the logged accesses and folded days of a record. */
export async function findLoggedAccesses(db: Database, id: string): Promise<LoggedAccesses> {
  const { rows } = await sql<{ days: number; recent: { at: string; kind: AccessKind }[] }>`
    select (${distinctDays})::integer as days, coalesce((
      select json_agg(json_build_object('at', newest.at, 'kind', newest.kind) order by newest.at desc, newest.kind)
      from (
        select l.at, l.kind from access_log as l
        where l.record_id = r.id and r.access_count > 0
        order by l.at desc, l.kind
        limit ${sql.lit(recentAccesses)}
      ) as newest
    ), '[]') as recent
    from records as r
    where r.id = ${id}::uuid
  `.execute(db)
  const { days = 0, recent = [] } = rows[0] ?? {}
  return { days, recent: recent.map(({ at, kind }) => ({ at: new Date(at), kind })) }
}

export type RescoreInput = { ids: readonly string[]; now: Date; runId?: string | null }

/**
 * Updates the stored importance of records where it is off by more than 0.01, writes the history and returns the new
 * values by id. `version` and `updated_at` stay, because no client changed the record.
 */
export async function rescore(
  tx: Transaction,
  { ids, now, runId = null }: RescoreInput,
): Promise<Map<string, number>> {
  const { join, importance } = computeImportance(now)
  const { rows } = await sql<{ id: string; new: number }>`
    with scored as materialized (
      select r.id, r.importance as old, ${importance} as new
      from records as r ${join}
      where ${hasIdIn(ids)}
      order by r.id
      for no key update of r
    ), moved as (
      update records as r set importance = s.new
      from scored as s
      where r.id = s.id and abs(s.new - s.old) > ${writeFloat(importanceTolerance)}
      returning r.id, s.old, s.new
    ), logged as (
      insert into importance_history (record_id, old, new, at, run_id)
      select id, old, new, ${now}::timestamptz, ${runId}::uuid from moved
    )
    select id, new from moved
  `.execute(tx)
  return new Map(rows.map(({ id, new: score }) => [id, score]))
}
