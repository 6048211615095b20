import { Kysely, type LogEvent, PostgresDialect, type PostgresPool } from 'kysely'
import type pg from 'pg'
import type { Logger } from '../kernel/log.ts'
import { createPool, type PoolOptions } from './pool.ts'
import type { DB } from './schema.ts'
import { homeSchema } from './schema-names.ts'
import { createTenantServers } from './servers/tenant-servers.ts'
import { createSchemaPool } from './tenant-sessions.ts'

export type Database = Kysely<DB>

/** A finished statement: its text without its parameters. */
export type Statement = { sql: string; durationMs: number; failure?: string | undefined }

/** Makes the connections of a pool enter a schema; without tenants it changes nothing. */
export type EnterSchema = (pool: pg.Pool) => Pick<pg.Pool, 'connect'>

export type ConnectionOptions = PoolOptions & {
  /** Called after each statement. */
  onStatement?: ((statement: Statement) => void) | undefined
  /** Says which server answers a statement, where reads may go to replicas; the connections of each enter the schema. */
  route?: ((primary: pg.Pool, enterSchema: EnterSchema) => PostgresPool) | undefined
  log?: Logger
}

export type Connection = ReturnType<typeof connect>

/** The access to the data of every tenant. */
export type TenantConnection = Pick<Connection, 'db' | 'databaseOf' | 'visitServer' | 'servers'>

export function connect(options: ConnectionOptions) {
  const pool = createPool(options)
  const { onStatement, route, tenants = false } = options
  const servers = createTenantServers(options)
  const log = (event: LogEvent) => onStatement?.(describe(event))
  const createDatabase = (source: PostgresPool): Database =>
    new Kysely<DB>({ dialect: new PostgresDialect({ pool: source }), ...(onStatement ? { log } : {}) })
  let serial = 0
  const openSchema = (schema: string): PostgresPool => {
    const own = serial++
    const enterSchema: EnterSchema = (each) => (tenants ? createSchemaPool(each, schema, own) : each)
    if (route) return route(pool, enterSchema)
    const entered = enterSchema(pool)
    return { connect: () => entered.connect(), end: () => pool.end() }
  }
  const db = createDatabase(tenants || route ? openSchema(homeSchema) : pool)
  return {
    db,
    pool,
    /**
     * The database of one tenant. It uses the connections of all tenants of its server, and no statement of it finds a
     * table of another. Without a URL the tenant is on the server of this connection.
     */
    databaseOf: (schema: string, serverUrl?: string): Database =>
      createDatabase(serverUrl === undefined ? openSchema(schema) : servers.openSchema(serverUrl, schema)),
    /** Works on a server over a connection of its own, as before it is known whether it can be used. */
    visitServer: async <T>(url: string, work: (visited: Database) => Promise<T>): Promise<T> => {
      const visiting = createPool({ ...options, url, poolSize: 1, tenants: true })
      const visited = createDatabase({
        ...createSchemaPool(visiting, 'pg_catalog'),
        end: () => visiting.end(),
      })
      return work(visited).finally(() => visited.destroy())
    },
    servers,
    close: async (): Promise<void> => {
      await Promise.all([db.destroy(), servers.close()])
    },
  }
}

function describe(event: LogEvent): Statement {
  const failure = event.level === 'error' ? readName(event.error) : undefined
  return { sql: event.query.sql, durationMs: event.queryDurationMillis, failure }
}

/** The code identifies the failure; the message may quote a row. */
function readName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
