import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../connection.ts'
import { clusterId, databaseId, primaryTimelineBits, standbyTimeline } from '../positions/server-identity.ts'

/** A process compares the rows that it keeps in memory with the database: here, which changes of them a statement has seen. */

export type View = {
  /** The transactions that had ended, as PostgreSQL writes a snapshot. */
  snapshot: string
  /**
   * All transactions that had ended have lower numbers. A standby does not know which transactions between the end of its
   * snapshot and this number had ended; a primary has none between the two.
   */
  reached: number
  /** The log that the numbers belong to. After a failover, or a restore from a dump, they stand for other transactions. */
  origin: string
}

/** A standby server does not list the transactions that are running, so there nothing counts as seen from the oldest of them on. */
const snapshotNow = sql`(
  select case when pg_is_in_recovery() then concat(pg_snapshot_xmin(now_seen), ':', pg_snapshot_xmin(now_seen), ':')
    else now_seen::text end
  from pg_current_snapshot() as now_seen
)`

const timelineNow = sql`(
  case when pg_is_in_recovery() then ${sql.raw(standbyTimeline)} else ${sql.raw(primaryTimelineBits)}::int end
)`

/**
 * The database, the timeline, and the transaction that stored the secret of this store: a restore stores it again. On two new servers
 * the restore of one dump has the same transactions.
 */
const originNow = sql`concat_ws(
  '/', ${sql.raw(clusterId)}, ${sql.raw(databaseId)}, ${timelineNow}, (select xmin from import_secret)
)`

const reachedNow = sql`pg_snapshot_xmax(pg_current_snapshot())::text::int8`

/** The columns of a view. */
export const viewNow = sql`${snapshotNow} as snapshot, ${reachedNow} as reached, ${originNow} as origin`

export async function readView(db: Database): Promise<View> {
  const { rows } = await sql<View>`
    select ${viewNow}
  `.execute(db)
  return rows[0] ?? unknownView
}

/** No server has this origin, so the next read is not used. */
const unknownView: View = { snapshot: '1:1:', reached: 1, origin: '' }

/** The view of an answer, without what else was answered: a view is kept. */
export function copyView({ snapshot, reached, origin }: View = unknownView): View {
  return { snapshot, reached, origin }
}

/** `changed` comes with a dump, so it may be a transaction that this server has not reached. */
const hasHappened = (changed: RawBuilder<unknown>) =>
  sql<SqlBool>`${changed} < pg_snapshot_xmax(pg_current_snapshot())`

/**
 * The version of a row, from the transaction that last changed it. After a restore this can be a transaction that the server has
 * not had: such a version counts as seen by everyone.
 */
export function computeVersion(changed: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${hasHappened(changed)} then ${changed}::text::int8 else 0 end`
}

/** If there are more changes than this, the database answers, and what is in memory is read again. */
export const maxChanges = 2_000

/** A table `t` whose rows say by which transaction they were last changed, and of which record they are. */
type Changing = { table: string; id: 'id' | 'record_id'; changed: string; among?: RawBuilder<SqlBool> }

/**
 * Selects the ids of records with rows that a snapshot did not see, from each table at most one more than `maxChanges`. If a
 * transaction runs for hours, only its own changes are read again, and not all changes since it began. Each part is ordered, so
 * that PostgreSQL reads it from the index of the transactions, however many rows it expects.
 */
export function selectUnseen(snapshot: string, tables: readonly Changing[]): RawBuilder<unknown> {
  // A value of its own: PostgreSQL then keeps one plan, and does not plan the statement again for each snapshot.
  const known = sql`(select ${snapshot}::pg_snapshot)`
  return sql.join(
    tables.flatMap((table) => [
      sql`select record_id from (${selectLater(table, sql`pg_snapshot_xmax(${known})`)}) as later`,
      sql`select their.record_id from pg_snapshot_xip(${known}) as running (id)
        cross join lateral (${selectOf(table, sql`running.id`)}) as their`,
    ]),
    sql` union all `,
  )
}

const selectLater = (table: Changing, from: RawBuilder<unknown>) =>
  selectChanged(table, from, hasHappened(getChangedColumn(table)))

const selectOf = (table: Changing, id: RawBuilder<unknown>) =>
  selectChanged(table, id, sql`${getChangedColumn(table)} <= ${id}`)

function selectChanged(table: Changing, from: RawBuilder<unknown>, condition: RawBuilder<unknown>) {
  const { among = sql<SqlBool>`true` } = table
  return sql`
    select ${sql.ref(`t.${table.id}`)} as record_id from ${sql.table(table.table)} as t
    where ${among} and ${getChangedColumn(table)} >= ${from} and ${condition}
    order by ${getChangedColumn(table)} limit ${sql.lit(maxChanges + 1)}`
}

const getChangedColumn = ({ changed }: Changing) => sql.ref(`t.${changed}`)
