import pg from 'pg'
import { notePositions } from './positions/commit-positions.ts'
import { deferStatements } from './statements/deferred-statements.ts'
import { prepareStatements } from './statements/prepared-statements.ts'
import { endsTransaction, startsTransaction, wrapQueries } from './statements/query-wrapper.ts'
import { trackSchemas } from './tenant-sessions.ts'

export type PoolOptions = {
  url: string
  poolSize: number
  statementTimeoutMs: number
  lockTimeoutMs: number
  /** How long a caller waits for a free or a new connection. */
  connectionTimeoutMs?: number
  /** How long a new one may take at most, where that is less. */
  openingTimeoutMs?: number
  /** Set to false behind a pooler that shares connections between sessions, such as an old PgBouncer. */
  preparedStatements?: boolean
  /** Shown in pg_stat_activity, so that an operator sees which role holds a connection. */
  applicationName: string
  /** Whether each tenant has a schema of its own. The database of the connection is then that of the schema `public`. */
  tenants?: boolean
}

/** How many requests may wait for a connection. All others are refused at once, instead of after a long wait. */
export function computeMaxWaiting(poolSize: number): number {
  return 20 * poolSize
}

const bigint = pg.types.builtins.INT8

/** Our bigints are seconds and counters far below 2^53. As strings they would appear in JSON. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === bigint ? Number : pg.types.getTypeParser(oid, format)
}

export function createPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    // A transaction of a paused process must not hold its locks forever.
    idle_in_transaction_session_timeout: 60_000,
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 5_000,
    ...(options.openingTimeoutMs === undefined ? {} : { Client: limitOpening(options.openingTimeoutMs) }),
    keepAlive: true,
    // A statement does not wait for the answer to the one before it.
    pipeline: true,
    // Compiling a statement over many rows took ten times as long as running it.
    // With tenants no table is found before a schema was chosen.
    options: options.tenants ? '-c jit=off -c search_path=pg_catalog' : '-c jit=off',
    types: { getTypeParser },
  })
  ignoreLostConnections(pool)
  wrapStatements(pool, options)
  return pool
}

/**
 * A connection that the server closes emits `error`, an idle one from the pool and one in use from itself, besides failing its query.
 * Without a listener that would end the process. The next query opens a new connection, so nothing else is needed.
 */
export function ignoreLostConnections(pool: pg.Pool): void {
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
}

function limitOpening(connectionTimeoutMillis: number) {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis })
    }
  }
}

/**
 * Each wrapper goes around those before it, so a statement passes the last one first. The rollback of a failed transaction
 * passes all others, and each learns that the transaction has ended. A commit gets the question for its position before it
 * meets the statements that were deferred to be sent with it. Names come last: what they stand for is what is sent.
 */
function wrapStatements(pool: pg.Pool, { tenants, preparedStatements = true }: PoolOptions): void {
  if (tenants) trackSchemas(pool, { preparesStatements: preparedStatements })
  else if (preparedStatements) prepareStatements(pool)
  deferStatements(pool)
  notePositions(pool)
  endFailedTransactions(pool)
}

/**
 * A transaction may have begun although the statement that began it reached its timeout, and the statement that rolls it back can
 * reach it too. The query builder returns such a connection as it is, and every later transaction on it would fail.
 */
function endFailedTransactions(pool: pg.Pool): void {
  wrapQueries(pool, (query) => (text, ...rest) => {
    const sent = query(text, ...rest)
    if (startsTransaction(text) || endsTransaction(text))
      Promise.resolve(sent)
        .catch(() => query('rollback'))
        // The connection is lost.
        .catch(() => {})
    return sent
  })
}

/**
 * Returns how to break all connections of a new pool, and so fail the statements that run on them. `end` would wait for
 * these, because they are pipelined, and on a machine that is gone for many minutes.
 */
export function trackConnections(pool: pg.Pool): () => void {
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => clients.add(client))
  pool.on('remove', (client) => clients.delete(client as pg.PoolClient))
  return () => {
    for (const client of clients) client.connection.stream.destroy()
  }
}
