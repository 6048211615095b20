import type { Selectable } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { LifecyclePolicies, RecordType } from '../db/schema.ts'

export type PolicyRow = Selectable<LifecyclePolicies>

/** Listed, because a prepared `select *` fails after a migration adds a column. */
const columns = [
  'type',
  'curve',
  'half_life_seconds',
  'max_age_seconds',
  'min_salience',
  'reinforcement_gain',
  'max_salience',
  'deletion_policy',
] as const

export async function listPolicies(db: Database): Promise<PolicyRow[]> {
  return db.selectFrom('lifecycle_policies').select(columns).orderBy('type').execute()
}

export async function findPolicy(db: Database, type: RecordType): Promise<PolicyRow> {
  return db
    .selectFrom('lifecycle_policies')
    .select(columns)
    .where('type', '=', type)
    .executeTakeFirstOrThrow()
}

export async function upsertPolicy(db: Database, row: PolicyRow): Promise<void> {
  const { type: _, ...choice } = row
  await db
    .insertInto('lifecycle_policies')
    .values(row)
    .onConflict((conflict) => conflict.column('type').doUpdateSet(choice))
    .execute()
}
