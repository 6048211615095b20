import { type RawBuilder, sql } from 'kysely'

/** The texts in the log of a record that the decay job, or the application of its plan, has forgotten. */

export const decayActor = sql.lit('decay-service')

export const prunedRationale = sql.lit('auto-pruned: salience reached floor')
export const overBudgetRationale = sql.lit('over the budget of its scope, and among the least worth keeping')

/** The `changes` of the entry of a record that was forgotten for a budget. */
export function describeBudgetForgetting(now: Date, keeping: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`jsonb_build_object('forgotten', jsonb_build_array(null, jsonb_build_object(
    'at', ${now.toISOString()}::text, 'reason', 'budget', 'actor', ${decayActor}, 'keeping', ${keeping}
  )))`
}
