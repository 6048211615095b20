import pg from 'pg'
import { shareRunning } from '../../kernel/shared-runs.ts'
import { ignoreLostConnections } from '../pool.ts'
import { parseLsn } from '../positions/position.ts'
import {
  identityColumns,
  primaryTimelineBits,
  type ServerIdentity,
  standbyTimeline,
} from '../positions/server-identity.ts'

/** Longest time for an answer, and for a connection. */
const maxWaitMs = 2_000

/** The position that was written to disk: nothing later can have been sent to a replica. */
const primaryStatement = `select ${identityColumns}, pg_current_wal_flush_lsn()::text as lsn,
  ${primaryTimelineBits}::int8 as timeline`

/** Without pg_read_all_stats, a replica is left out after a failover until its next checkpoint. */
const replicaStatement = `select ${identityColumns}, pg_is_in_recovery() as is_standby,
  pg_last_wal_replay_lsn()::text as lsn, ${standbyTimeline}::int8 as timeline`

type Row = ServerIdentity & { lsn: string | null; timeline: number; is_standby?: boolean }
export type Probed = ServerIdentity & { lsn: bigint; timeline: number; isStandby: boolean }
export type Probe = { ask(): Promise<Probed>; close(): Promise<void> }

/** Looks at a server over a connection of its own, so that a busy pool does not delay the verdict. */
export function createProbe(url: string, kind: 'primary' | 'replica', applicationName: string): Probe {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    application_name: applicationName,
    connectionTimeoutMillis: maxWaitMs,
    query_timeout: maxWaitMs,
    keepAlive: true,
  })
  ignoreLostConnections(pool)
  const statement = kind === 'primary' ? primaryStatement : replicaStatement

  async function ask(): Promise<Probed> {
    const { rows } = await pool.query<Row>(statement)
    const [row] = rows
    if (!row) throw new Error('the server says nothing about itself')
    const { cluster, database, lsn, timeline, is_standby: isStandby = false } = row
    return { cluster, database, lsn: parseLsn(lsn ?? '0/0'), timeline: Number(timeline), isStandby }
  }

  return {
    /** Many who ask at once share one answer. */
    ask: shareRunning(ask),
    close: () => pool.end(),
  }
}
