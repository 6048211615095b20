import type { Database } from '../../../src/db/connection.ts'
import type { Policies } from '../../../src/domain/lifecycle/lifecycle.ts'

const oneDay = {
  decay: {
    curve: 'exponential' as const,
    half_life_seconds: 86_400,
    min_salience: 0,
    max_age_seconds: 0,
    reinforcement_gain: 0,
    max_salience: 1,
  },
  deletion_policy: 'auto_prune',
} as const

/** Policies with a half-life of one day for every type, so that a test can compute salience by hand. */
export const oneDayPolicies: Policies = {
  episodic: oneDay,
  working: oneDay,
  entity: oneDay,
  semantic: oneDay,
  competence: oneDay,
  plan_graph: oneDay,
}

/** Replaces the shipped policies of a test database. */
export async function writeOneDayPolicies(db: Database): Promise<void> {
  await db
    .updateTable('lifecycle_policies')
    .set({ ...oneDay.decay, deletion_policy: oneDay.deletion_policy })
    .execute()
}
