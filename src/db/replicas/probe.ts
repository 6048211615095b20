import pg from 'pg'
import { type Identity, parseLsn } from '../position.ts'

/** Longest time for an answer, and for a connection. */
const patienceMs = 2_000

const identity = `(select system_identifier::text from pg_control_system()) as cluster,
  (select oid::text from pg_database where datname = current_database()) as database`

/** The place that was written to disk: nothing later can have been sent to a replica. */
const primaryStatement = `select ${identity}, pg_current_wal_flush_lsn()::text as lsn,
  ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int8 as timeline`

/**
 * The timeline that is received is shown only to members of pg_read_all_stats. Others know it from the last checkpoint,
 * so after a failover the replica is left out until its next one.
 */
const replicaStatement = `select ${identity}, pg_is_in_recovery() as is_standby,
  pg_last_wal_replay_lsn()::text as lsn,
  greatest((select timeline_id from pg_control_checkpoint()), (select received_tli from pg_stat_wal_receiver))::int8
    as timeline`

type Row = Identity & { lsn: string | null; timeline: number; is_standby?: boolean }
export type Probed = Identity & { lsn: bigint; timeline: number; isStandby: boolean }
export type Probe = { ask(): Promise<Probed>; close(): Promise<void> }

/** Looks at a server over a connection of its own, so that a busy pool does not delay the verdict. */
export function createProbe(url: string, kind: 'primary' | 'replica', applicationName: string): Probe {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    application_name: applicationName,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    keepAlive: true,
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const statement = kind === 'primary' ? primaryStatement : replicaStatement
  let asking: Promise<Probed> | undefined

  async function ask(): Promise<Probed> {
    const { rows } = await pool.query<Row>(statement)
    const [row] = rows
    if (!row) throw new Error('the server says nothing about itself')
    const { cluster, database, lsn, timeline, is_standby: isStandby = false } = row
    return { cluster, database, lsn: parseLsn(lsn ?? '0/0'), timeline: Number(timeline), isStandby }
  }

  return {
    /** Many who ask at once share one answer. */
    ask: () => {
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
    close: () => pool.end(),
  }
}
