import { Kysely, type LogEvent, PostgresDialect } from 'kysely'
import pg from 'pg'
import { prepareStatements } from './prepared.ts'
import type { DB } from './schema.ts'

export type Database = Kysely<DB>

/** A finished statement: its text without its parameters. */
export type Statement = { sql: string; durationMs: number; failure?: string | undefined }

export type ConnectionOptions = {
  url: string
  poolSize: number
  statementTimeoutMs: number
  lockTimeoutMs: number
  /** Set to false behind a pooler that shares connections between sessions, such as an old PgBouncer. */
  preparedStatements?: boolean
  /** Shown in pg_stat_activity, so that an operator sees which role holds a connection. */
  applicationName: string
  /** Called after each statement. */
  onStatement?: ((statement: Statement) => void) | undefined
}

export type Connection = ReturnType<typeof connect>

const bigint = pg.types.builtins.INT8

/** Our bigints are seconds and counters far below 2^53. As strings they would appear in JSON. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === bigint ? Number : pg.types.getTypeParser(oid, format)
}

export function connect(options: ConnectionOptions) {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    // A transaction of a paused process must not hold its locks forever.
    idle_in_transaction_session_timeout: 60_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // Compiling a statement over many rows took ten times as long as running it.
    options: '-c jit=off',
    types: { getTypeParser },
  })
  // An idle connection that the server closes emits `error`; without a listener it would end the process. The next
  // query opens a new connection, so nothing else is needed.
  pool.on('error', () => {})
  // A connection in use emits `error` too, besides failing its query. A lost server must not end this process.
  pool.on('connect', (client) => client.on('error', () => {}))
  if (options.preparedStatements ?? true) prepareStatements(pool)
  const { onStatement } = options
  const db: Database = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    ...(onStatement ? { log: (event: LogEvent) => onStatement(describe(event)) } : {}),
  })
  return {
    db,
    pool,
    close: () => db.destroy(),
  }
}

function describe(event: LogEvent): Statement {
  const failure = event.level === 'error' ? nameOf(event.error) : undefined
  return { sql: event.query.sql, durationMs: event.queryDurationMillis, failure }
}

/** The code identifies the failure; the message may quote a row. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
