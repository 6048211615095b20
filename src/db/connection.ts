import { Kysely, type LogEvent, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { notePositions } from './commit-positions.ts'
import { prepareStatements } from './prepared.ts'
import type { DB } from './schema.ts'
import { homeSchema } from './schema-names.ts'
import { poolOf, trackSchemas } from './tenant-sessions.ts'

export type Database = Kysely<DB>

/** A finished statement: its text without its parameters. */
export type Statement = { sql: string; durationMs: number; failure?: string | undefined }

/** Makes the connections of a pool enter a schema; without tenants it changes nothing. */
export type Scope = (pool: pg.Pool) => Pick<pg.Pool, 'connect'>

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
  /** Says which server answers a statement, where reads may go to replicas. `scope` is applied to the pool of each. */
  route?: ((primary: pg.Pool, scope: Scope) => PostgresPool) | undefined
  /** Whether each tenant has a schema of its own. The database of the connection is then that of the schema `public`. */
  tenants?: boolean
}

export type Connection = ReturnType<typeof connect>

const bigint = pg.types.builtins.INT8

/** Our bigints are seconds and counters far below 2^53. As strings they would appear in JSON. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === bigint ? Number : pg.types.getTypeParser(oid, format)
}

export function createPool(options: Omit<ConnectionOptions, 'onStatement' | 'route'>): pg.Pool {
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
    // A statement does not wait for the answer to the one before it.
    pipeline: true,
    // Compiling a statement over many rows took ten times as long as running it.
    // With tenants no table is found before a schema was chosen.
    options: options.tenants ? '-c jit=off -c search_path=pg_catalog' : '-c jit=off',
    types: { getTypeParser },
  })
  // An idle connection that the server closes emits `error`; without a listener it would end the process. The next
  // query opens a new connection, so nothing else is needed.
  pool.on('error', () => {})
  // A connection in use emits `error` too, besides failing its query. A lost server must not end this process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const isPrepared = options.preparedStatements ?? true
  if (options.tenants) trackSchemas(pool, isPrepared)
  else if (isPrepared) prepareStatements(pool)
  notePositions(pool)
  return pool
}

export function connect(options: ConnectionOptions) {
  const pool = createPool(options)
  const { onStatement, route, tenants = false } = options
  const log = (event: LogEvent) => onStatement?.(describe(event))
  const createDatabase = (source: PostgresPool): Database =>
    new Kysely<DB>({ dialect: new PostgresDialect({ pool: source }), ...(onStatement ? { log } : {}) })
  const openSchema = (schema: string): PostgresPool => {
    const scope: Scope = (each) => (tenants ? poolOf(each, schema) : each)
    if (route) return route(pool, scope)
    const scoped = scope(pool)
    return { connect: () => scoped.connect(), end: () => pool.end() }
  }
  const db = createDatabase(tenants || route ? openSchema(homeSchema) : pool)
  return {
    db,
    pool,
    /** The database of one tenant. It uses the connections of all, and no statement of it finds a table of another. */
    databaseOf: (schema: string): Database => createDatabase(openSchema(schema)),
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
