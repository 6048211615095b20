import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { DB } from '../../../src/db/schema.ts'
import type { Transaction } from '../../../src/db/transaction.ts'

/**
 * Creates a database that records the SQL it receives and answers one empty row, so that queries compile as they
 * run.
 */
export function createRecordingDatabase(): { db: Transaction; queries: CompiledQuery[] } {
  const queries: CompiledQuery[] = []
  const connection: DatabaseConnection = {
    executeQuery: async (query: CompiledQuery) => {
      queries.push(query)
      return { rows: [{}] as never[] }
    },
    streamQuery: () => {
      throw new Error('nothing is streamed')
    },
  }
  const nothing = async () => {}
  const db = new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (introspected) => new PostgresIntrospector(introspected),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: nothing,
        acquireConnection: async () => connection,
        beginTransaction: nothing,
        commitTransaction: nothing,
        rollbackTransaction: nothing,
        releaseConnection: nothing,
        destroy: nothing,
      }),
    },
  })
  // Typed as a transaction, so that it can be passed to statements that need one.
  return { db: db as Transaction, queries }
}

const clauses =
  /\s+(?=(?:from|where|inner join|left join|order by|limit|set|values|returning|on conflict|for update|and|or)\s)/g

/** Formats SQL with one clause on each line, so that a change of a query can be reviewed. */
export function layOut(query: string): string {
  return query
    .replaceAll(clauses, (_, at: number) =>
      query[at] === '\n' ? (query.slice(at).match(/^\s+/)?.[0] ?? '\n') : '\n',
    )
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '')
    .join('\n')
}
