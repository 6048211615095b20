import { Kysely, type LogEvent, PostgresDialect } from 'kysely'
import pg from 'pg'
import { prepareStatements } from './prepared.ts'
import type { DB } from './schema.ts'

export type Database = Kysely<DB>

/** A statement that was asked: its text without its parameters. */
export type Statement = { sql: string; durationMs: number; failure?: string | undefined }

export type ConnectionOptions = {
  url: string
  poolSize: number
  statementTimeoutMs: number
  lockTimeoutMs: number
  /** Off behind a pooler that hands a session's statements to another, such as an old PgBouncer. */
  preparedStatements?: boolean
  /** Shown in pg_stat_activity, so that an operator sees which role holds a connection. */
  applicationName: string
  /** Told of each statement when it has been answered. */
  onStatement?: ((statement: Statement) => void) | undefined
}

export type Connection = ReturnType<typeof connect>

const bigint = pg.types.builtins.INT8

/** Our bigints are seconds and counters far below 2^53; as strings they would leak into JSON. */
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
    // A transaction whose process was paused must not hold its locks for ever.
    idle_in_transaction_session_timeout: 60_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // Compiling a statement over many rows took ten times as long as running it.
    options: '-c jit=off',
    types: { getTypeParser },
  })
  // An idle connection that the server closes emits here; unheard, it would end the process.
  // The next query opens a fresh one, so there is nothing else to do.
  pool.on('error', () => {})
  // So does one that is checked out, beside failing its query: a lost server must not take this process with it.
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

/** The code says what went wrong; the message may quote a row. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
