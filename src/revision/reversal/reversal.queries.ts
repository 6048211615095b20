import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

export type Operation = { id: string; version: number | null }

/** The last revision of a record, with the version that the record had before it; null for one that it created. */
export async function findLastOperation(tx: Transaction, recordId: string): Promise<Operation | undefined> {
  const { rows } = await sql<Operation>`
    select e.run_id as id, (e.before ->> 'version')::int4 as version
    from audit_entries as a
    join run_effects as e on e.run_id = a.operation_id and e.record_id = a.record_id and e.relation = 'records'
    where a.record_id = ${recordId}::uuid and a.operation_id is not null
    order by a.id desc, e.id
    limit 1
  `.execute(tx)
  return rows[0]
}
