import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'

/** The values that /explain shows for a removal, as of that moment. The audit log outlives the record. */

/** The values that led to an archival. */
export type ArchivalValues = { retention: number; importance: number; accesses: number; age_days: number }

export async function findArchivalValues(db: Database, id: string): Promise<ArchivalValues | undefined> {
  const { rows } = await sql<ArchivalValues>`
    select (said ->> 'retention')::float8 as retention, (said ->> 'importance')::float8 as importance,
      (said ->> 'accesses')::int4 as accesses, (said ->> 'age_days')::float8 as age_days
    from (
      select a.changes #> '{forgotten,1}' as said
      from audit_entries as a
      where a.record_id = ${id}::uuid and a.action = 'archive'
      order by a.id desc
      limit 1
    ) as archived
    where said ? 'retention'
  `.execute(db)
  return rows[0]
}

/** The worth keeping for which a budget forgot the record. */
export async function findBudgetValues(db: Database, id: string): Promise<{ keeping: number } | undefined> {
  const { rows } = await sql<{ keeping: number }>`
    select (a.changes #>> '{forgotten,1,keeping}')::float8 as keeping
    from audit_entries as a
    where a.record_id = ${id}::uuid and a.action = 'delete' and a.changes #> '{forgotten,1}' ? 'keeping'
    order by a.id desc
    limit 1
  `.execute(db)
  return rows[0]
}
