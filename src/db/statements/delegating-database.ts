import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Database } from '../connection.ts'
import type { DB } from '../schema.ts'

type Execute = (query: CompiledQuery) => Promise<QueryResult<unknown>>

/** A database that passes its statements to a function, for example one that begins a transaction when it is needed. */
export function createDelegatingDatabase(execute: Execute): Database {
  const refuse = async () => {
    throw new TypeError('a delegating database has no transactions')
  }
  const connection: DatabaseConnection = {
    // The rows are those of the statement, whose type the caller knows.
    executeQuery: async <R>(query: CompiledQuery) => (await execute(query)) as QueryResult<R>,
    // biome-ignore lint/correctness/useYield: it has no cursors.
    streamQuery: async function* () {
      await refuse()
    },
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: async () => {},
  }
  return new Kysely<DB>({
    dialect: {
      createDriver: () => driver,
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
  })
}
