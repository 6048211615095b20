import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'

/** The values that led to the archival, as of that moment. */
export type Archival = { retention: number; importance: number; accesses: number; age_days: number }

/** Reads the values from the audit log, which outlives the record. */
export async function findArchival(db: Database, id: string): Promise<Archival | undefined> {
  const { rows } = await sql<Archival>`
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
export async function findKeepingThen(db: Database, id: string): Promise<{ keeping: number } | undefined> {
  const { rows } = await sql<{ keeping: number }>`
    select (a.changes #>> '{forgotten,1,keeping}')::float8 as keeping
    from audit_entries as a
    where a.record_id = ${id}::uuid and a.action = 'delete' and a.changes #> '{forgotten,1}' ? 'keeping'
    order by a.id desc
    limit 1
  `.execute(db)
  return rows[0]
}
