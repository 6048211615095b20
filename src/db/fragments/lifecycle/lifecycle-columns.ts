import { type RawBuilder, sql } from 'kysely'
import type { LifecycleChange } from '../../../domain/lifecycle/reinforcement.ts'

/** The columns of a record `r` that reinforcement needs (LifecycleState). */
export const lifecycleColumns = sql`
      r.curve, r.half_life_seconds, r.min_salience, r.base_salience, r.anchored_at, r.expires_at, r.pinned,
      r.deletion_policy, r.salience, r.created_at, r.max_age_seconds, r.reinforcement_gain, r.max_salience,
      r.last_reinforced_at, r.prune_at`

/** The values that a reinforcement changes on several records, as arguments of `unnest`. The pin stays as it is. */
export function listReinforced(changes: readonly LifecycleChange[]): RawBuilder<unknown> {
  return sql`${changes.map(({ base_salience }) => base_salience)}::float8[],
        ${changes.map(({ anchored_at }) => anchored_at)}::timestamptz[],
        ${changes.map(({ last_reinforced_at }) => last_reinforced_at)}::timestamptz[],
        ${changes.map(({ salience }) => salience)}::float8[],
        ${changes.map(({ expires_at }) => expires_at)}::timestamptz[],
        ${changes.map(({ prune_at }) => prune_at)}::timestamptz[]`
}

/** The names of these columns, in their order. */
export const reinforcedColumns = sql`base_salience, anchored_at, last_reinforced_at, salience, expires_at, prune_at`

/** The assignments of an update of `records` to the values of a row `i` with these columns. */
export const setReinforced = sql`
      base_salience = i.base_salience, anchored_at = i.anchored_at, last_reinforced_at = i.last_reinforced_at,
        salience = i.salience, expires_at = i.expires_at, prune_at = i.prune_at`
