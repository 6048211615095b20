import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'
import type { DB } from '../../../src/db/schema.ts'

/** The database of a pool, which keeps the statements that are sent. */
export function openLoggedDatabase(pool: Pool) {
  const statements: CompiledQuery[] = []
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void statements.push(query),
  })

  /** Returns the statements that were sent meanwhile, in the order of their texts. */
  async function listStatements(work: () => Promise<unknown>): Promise<string[]> {
    statements.length = 0
    await work()
    return statements.map(({ sql }) => sql).sort()
  }
  return { db, listStatements }
}

export type LoggedDatabase = ReturnType<typeof openLoggedDatabase>
