import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'

/** Returns the step that changed the status last; undefined when nothing did. */
export async function findLastStep(db: Database, id: string): Promise<string | undefined> {
  const moved = await db
    .selectFrom('status_changes')
    .where('record_id', '=', id)
    .select('step')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return moved?.step
}

/** Reads from the audit log the salience that a revision or an undo removed since the record was last made active. */
export async function findSalienceBeforeRevision(tx: Transaction, id: string): Promise<number | undefined> {
  const { rows } = await sql<{ salience: number }>`
    select (a.changes #>> '{salience,0}')::float8 as salience
    from audit_entries as a
    where a.record_id = ${id}::uuid and a.action in ('revise', 'undo')
      and a.changes #> '{salience,1}' = '0' and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
      and not exists (
        select from audit_entries as later
        where later.record_id = a.record_id and later.id > a.id and later.changes #>> '{status,1}' = 'active'
      )
    order by a.id desc
    limit 1
  `.execute(tx)
  return rows[0]?.salience
}
