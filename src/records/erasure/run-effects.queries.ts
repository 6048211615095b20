import { sql } from 'kysely'
import { hasIdOf } from '../../db/fragments/id-condition.ts'
import type { Transaction } from '../../db/transaction.ts'

/**
 * Deletes the rows that runs keep of erased records, the contents of records that lose words, and the records that plans make
 * of erased ones. For a record that a plan would create, only the row without words stays, so that its change is listed to the
 * same readers.
 */
export async function deleteEffects(
  tx: Transaction,
  { erasedIds, keptIds }: { erasedIds: readonly string[]; keptIds: readonly string[] },
): Promise<void> {
  await sql`
    with recursive planned as (
      select e.run_id, e.record_id from run_effects as e join plans on plans.id = e.run_id
      where e.relation = 'descents' and (e.after ->> 'source_id')::uuid = any(${erasedIds}::uuid[])
      union
      select planned.run_id, e.record_id from planned
      cross join lateral (
        select e.record_id from run_effects as e
        where (e.after ->> 'source_id')::uuid = planned.record_id and e.relation = 'descents' and e.run_id = planned.run_id
        offset 0
      ) as e
    ), listed as (
      update maintenance_changes as c set before = null, after = null, note = 'it was erased'
      from plans
      where c.run_id = plans.id and c.record_id = any(${erasedIds}::uuid[])
    ), derived as (
      update maintenance_changes as c set before = null, after = null, note = 'it was erased'
      from planned
      where c.run_id = planned.run_id and c.record_id = planned.record_id
        and c.record_id <> all(${erasedIds}::uuid[])
    ), planned_texts as (
      delete from run_effects as e using planned
      where ${hasIdOf('planned', 'e.record_id', 'record_id')} and e.run_id = planned.run_id
        and e.record_id = planned.record_id and e.record_id <> all(${erasedIds}::uuid[])
        and e.record_id <> all(${keptIds}::uuid[]) and e.relation <> 'records'
    ), others_without_text as (
      update run_effects as e
      set others = (
        select jsonb_agg(other order by place)
        from jsonb_array_elements(e.others) with ordinality as other (other, place)
        where other ->> 'relation' <> all(${tablesWithText}::text[])
      )
      where record_id = any(${keptIds}::uuid[]) and others is not null and relation <> all(${tablesWithText}::text[])
    )
    delete from run_effects
    where record_id = any(${erasedIds}::uuid[])
      or record_id = any(${keptIds}::uuid[]) and relation = any(${tablesWithText}::text[])
  `.execute(tx)
}

const tablesWithText = ['contents', 'entity_identifiers', 'audit_entries']

/** Removes the values of erased records from the changes of runs that applied a plan. */
export async function clearAppliedChanges(tx: Transaction, erasedIds: readonly string[]): Promise<void> {
  await sql`
    update maintenance_changes as c set before = null, after = null
    from plan_applications as a
    where c.run_id = a.run_id and c.record_id = any(${erasedIds}::uuid[])
  `.execute(tx)
}
