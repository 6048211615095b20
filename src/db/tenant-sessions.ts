import type pg from 'pg'
import { AppError } from '../kernel/errors.ts'
import { homeSchema } from './schema-names.ts'
import { wrapQueries } from './statements/query-wrapper.ts'

/**
 * A connection that has used more than these is closed when it is returned. Its process on the server caches the tables and indexes
 * of each schema, and a plan for each statement, for as long as it lives.
 */
const most = { schemas: 32, statements: 512 }

type Session = {
  /** The schema of the connection; undefined before the first. */
  schema: string | undefined
  /** The database object that the connection serves, with its schema. */
  served: string
  /** The schema of the transaction in progress, when it is another one. */
  visited: string | undefined
  /**
   * The names of prepared statements, by the database object that was served and by their text. Two objects of one schema share
   * none: the schema may have been dropped and restored between them, and a statement keeps the types that are gone.
   */
  names: Map<string, Map<string, string>>
  count: number
}

const sessions = new WeakMap<object, Session>()

/** The text of the statement by which a transaction continues in another schema until it ends. */
const visit = /^set local search_path to "([a-z0-9_]+)"$/

export function visitStatement(schema: string): string {
  return `set local search_path to "${schema}"`
}

/**
 * Makes the connections of a pool keep track of the schema that they are in. A plan holds the types of one schema, so
 * each schema has prepared statements of its own.
 */
export function trackSchemas(pool: pg.Pool, { preparesStatements }: { preparesStatements: boolean }): void {
  wrapQueries(pool, (query, client) => {
    const session: Session = {
      schema: undefined,
      served: homeSchema,
      visited: undefined,
      names: new Map(),
      count: 0,
    }
    sessions.set(client, session)
    return (text, values, ...rest) => {
      if (typeof text !== 'string') return query(text, values, ...rest)
      if (!Array.isArray(values) || values.length === 0) {
        follow(session, text)
        return query(text, values, ...rest)
      }
      const name = preparesStatements ? assignName(session, text) : undefined
      return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest)
    }
  })
}

function follow(session: Session, text: string): void {
  if (/^(?:commit|rollback)(?:;|$)/.test(text)) session.visited = undefined
  else if (text.startsWith('set local')) session.visited = visit.exec(text)?.[1] ?? session.visited
}

function assignName(session: Session, text: string): string | undefined {
  const served = session.visited ?? session.served
  const names = session.names.get(served) ?? new Map<string, string>()
  const known = names.get(text)
  if (known !== undefined || session.count >= most.statements) return known
  const name = `membrane_${session.count++}`
  session.names.set(served, names.set(text, name))
  return name
}

/** The part of a pool that the query builder uses. `serial` tells the database objects of one schema apart. */
export function createSchemaPool(pool: pg.Pool, schema: string, serial = 0) {
  return {
    connect: async (): Promise<pg.PoolClient> => {
      const client = await pool.connect()
      const release = client.release.bind(client)
      try {
        await enter(client, schema, serial)
      } catch (error) {
        release(true)
        throw error
      }
      client.release = (failed) => release(failed || isFull(client))
      return client
    },
    // Others use the pool too.
    end: async () => {},
  }
}

/** Another schema costs one short statement; the one that the connection served last costs nothing. */
async function enter(client: pg.PoolClient, schema: string, serial: number): Promise<void> {
  const session = sessions.get(client)
  if (!session) throw new TypeError('a connection without a session')
  session.served = serial === 0 ? schema : `${schema} ${serial}`
  if (session.schema === schema) return
  if (session.schema === undefined) await requireOwnProcess(client)
  session.schema = undefined
  await client.query(`set search_path to "${schema}"`)
  session.schema = schema
  if (!session.names.has(session.served)) session.names.set(session.served, new Map())
}

/** A pooler gives the connection of one client to another between two transactions, with the schema of the first. */
async function requireOwnProcess(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  if (rows[0]?.pid === Reflect.get(client, 'processID')) return
  throw new AppError(
    'not_ready',
    'Tenants need connections to PostgreSQL without a pooler in between; see DATABASE_URL.',
  )
}

function isFull(client: pg.PoolClient): boolean {
  const session = sessions.get(client)
  if (!session) return true
  return session.names.size > most.schemas || (session.names.size > 1 && session.count >= most.statements)
}
