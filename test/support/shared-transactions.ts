import { sql } from 'kysely'
import type { TestApp } from './test-app.ts'

/** For tests of requests that may share a transaction. */

/** How many transactions wrote the records of a scope. */
export async function countTransactions(app: TestApp, scope: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct xmin::text)::integer as count from records where scope = ${scope}
  `.execute(app.db)
  return rows[0]?.count ?? 0
}

/** Issues a key for each name, to tell in the log whose request wrote a record. */
export async function issueWritingKeys(app: TestApp, names: readonly string[]): Promise<string[]> {
  return Promise.all(names.map((name) => app.issueKey(['records:read', 'records:write'], { name })))
}
