import { type RawBuilder, sql } from 'kysely'
import { neverFading, scoreConstants } from '../../domain/importance/importance.ts'
import {
  elasticEnd,
  type RetentionMode,
  type RetentionShape,
  retentionBonus,
} from '../../domain/lifecycle/retention.ts'
import { sourceTrustOfRow } from './importance.queries.ts'

export type RetentionSettings = { retentionMode: RetentionMode; retentionShape: RetentionShape }

/**
 * The retention of a row named `r`, equal to `computeRetention` and built from the same constants. In SQL, because
 * whole sets of rows are compared where they are stored.
 */
export function computeRetentionAt(now: Date, settings: RetentionSettings): RawBuilder<number> {
  const { perAccess, largest } = retentionBonus
  return sql<number>`(
    case when r.layer = any(${[...neverFading]}::memory_layer[]) then 1::float8
    else least(1::float8,
      ${computeBase(settings, countHalfLives(now))}
      + least(${largest}::float8, ${perAccess}::float8 * ln(1 + r.access_count::float8))
    ) end
  )`
}

function countHalfLives(now: Date): RawBuilder<number> {
  const { halfLifeDays, distrustPenalty, maxHalfLives } = scoreConstants
  return sql<number>`least(
    greatest(date_part('epoch', ${now}::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + ${distrustPenalty}::float8 * (1 - ${sourceTrustOfRow})) / ${halfLifeDays}::float8,
    ${maxHalfLives}::float8
  )`
}

function computeBase(
  { retentionMode: mode, retentionShape: shape }: RetentionSettings,
  halfLives: RawBuilder<number>,
): RawBuilder<number> {
  const exponential = sql<number>`power(2::float8, -${halfLives})`
  if (mode === 'l2') return exponential
  if (mode === 'elastic') {
    const rho = sql`${shape.elasticRho}::float8`
    return sql<number>`${rho} * greatest(0, 1 - ${halfLives} / ${elasticEnd}::float8) + (1 - ${rho}) * ${exponential}`
  }
  const delta = sql`${shape.huberDelta}::float8`
  return sql<number>`case when ${halfLives} <= ${delta} then ${exponential}
    else greatest(0, power(2::float8, -${delta}) * (1 - ln(2::float8) * (${halfLives} - ${delta}))) end`
}
