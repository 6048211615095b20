import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from './connection.ts'

/** What processes keep in memory and compare with the database: which changes they know is a snapshot of PostgreSQL, as text. */

/**
 * What a statement sees. A standby server does not list the transactions that are running, so there nothing counts as seen from
 * the oldest of them on.
 */
export const visibleNow = sql<string>`(
  select case when pg_is_in_recovery() then concat(pg_snapshot_xmin(now_seen), ':', pg_snapshot_xmin(now_seen), ':')
    else now_seen::text end
  from pg_current_snapshot() as now_seen
)`

export async function readSnapshot(db: Database): Promise<string> {
  const { rows } = await sql<{ snapshot: string }>`select ${visibleNow} as snapshot`.execute(db)
  return rows[0]?.snapshot ?? '1:1:'
}

type Changes = {
  snapshot: string
  table: 'contents' | 'embeddings'
  among?: RawBuilder<SqlBool>
  most: number
}

/**
 * The ids of records whose row a snapshot did not see, as a select. Of a transaction that runs for hours only its own changes
 * are read again, and not all since it began. Both parts are ordered, so that PostgreSQL reads them from the index of `changed`
 * whatever number of rows it expects.
 */
export function selectUnseen({
  snapshot,
  table,
  among = sql<SqlBool>`true`,
  most,
}: Changes): RawBuilder<unknown> {
  const rows = (from: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`
    select t.record_id from ${sql.table(table)} as t
    where ${among} and t.changed >= ${from} ${condition} order by t.changed limit ${sql.lit(most)}`
  // A value of its own: PostgreSQL then keeps one plan, and does not plan the statement again for each snapshot.
  const known = sql`(select ${snapshot}::pg_snapshot)`
  return sql`
    select record_id from (${rows(sql`pg_snapshot_xmax(${known})`, sql``)}) as later
    union all
    select their.record_id from pg_snapshot_xip(${known}) as running (id)
    cross join lateral (${rows(sql`running.id`, sql`and t.changed <= running.id`)}) as their`
}
