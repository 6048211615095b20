import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from './connection.ts'

/** What a process keeps in memory is compared with the database: here, which changes of it a statement has seen. */

export type View = {
  /** The transactions that had ended, as PostgreSQL writes a snapshot. */
  snapshot: string
  /** After a failover the next timeline may give the numbers of lost transactions to others. */
  timeline: number
}

/** A standby server does not list the transactions that are running, so there nothing counts as seen from the oldest of them on. */
const snapshotNow = sql`(
  select case when pg_is_in_recovery() then concat(pg_snapshot_xmin(now_seen), ':', pg_snapshot_xmin(now_seen), ':')
    else now_seen::text end
  from pg_current_snapshot() as now_seen
)`

/** A standby tells that of its last checkpoint to users without pg_read_all_stats, as in the watch over replicas. */
const timelineNow = sql`(
  case when pg_is_in_recovery() then greatest(
    (select timeline_id from pg_control_checkpoint()), (select received_tli from pg_stat_wal_receiver)
  ) else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end
)`

/** The columns of a view. */
export const viewNow = sql`${snapshotNow} as snapshot, ${timelineNow} as timeline`

export async function readView(db: Database): Promise<View> {
  const { rows } = await sql<View>`select ${snapshotNow} as snapshot, ${timelineNow} as timeline`.execute(db)
  return rows[0] ?? unknownView
}

/** Nothing is of this timeline, so what is read next is not used. */
const unknownView: View = { snapshot: '1:1:', timeline: 0 }

/** The view of an answer, without what else was answered: a view is kept. */
export function viewOf({ snapshot, timeline }: View = unknownView): View {
  return { snapshot, timeline }
}

/** `changed` comes with a dump, so it may be a transaction that this server has not reached. */
const hasHappened = (changed: RawBuilder<unknown>) =>
  sql<SqlBool>`${changed} < pg_snapshot_xmax(pg_current_snapshot())`

/** The version of a row, from its column `changed`. What has not happened tells nothing, and counts as seen by everyone. */
export function versionOf(column: string): RawBuilder<unknown> {
  const changed = sql.ref(column)
  return sql`case when ${hasHappened(changed)} then ${changed}::text::int8 else 0 end`
}

/** Of more changes than this, the database answers and what is in memory is read again. */
export const mostChanges = 2_000

type Changes = { snapshot: string; table: 'contents' | 'embeddings'; among?: RawBuilder<SqlBool> }

/**
 * The ids of records whose row a snapshot did not see, one more than `mostChanges` where there are more, as a select. Of a transaction that runs for hours only its own changes
 * are read again, and not all since it began. Both parts are ordered, so that PostgreSQL reads them from the index of `changed`
 * whatever number of rows it expects.
 */
export function selectUnseen({ snapshot, table, among = sql<SqlBool>`true` }: Changes): RawBuilder<unknown> {
  const rows = (from: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`
    select t.record_id from ${sql.table(table)} as t
    where ${among} and t.changed >= ${from} and ${condition} order by t.changed limit ${sql.lit(mostChanges + 1)}`
  // A value of its own: PostgreSQL then keeps one plan, and does not plan the statement again for each snapshot.
  const known = sql`(select ${snapshot}::pg_snapshot)`
  return sql`
    select record_id from (${rows(sql`pg_snapshot_xmax(${known})`, hasHappened(sql`t.changed`))}) as later
    union all
    select their.record_id from pg_snapshot_xip(${known}) as running (id)
    cross join lateral (${rows(sql`running.id`, sql`t.changed <= running.id`)}) as their`
}
