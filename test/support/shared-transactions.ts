import { setTimeout as sleep } from 'node:timers/promises'
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

/** Ends every connection to the database while requests are answered, and waits for the answers. */
export async function loseConnections<T>(app: TestApp, pending: Promise<T>): Promise<T> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
  `.execute(app.db)
  const answers = await pending
  await untilConnected(app)
  return answers
}

/** An idle connection that was ended fails the statement that gets it, until the pool has heard of its end. */
async function untilConnected({ db }: TestApp): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const statements = Array.from({ length: 20 }, () => sql`select pg_sleep(0.01)`.execute(db))
    const results = await Promise.allSettled(statements)
    const failed = results.find((result) => result.status === 'rejected')
    if (!failed) return
    if (attempt === 100) throw failed.reason
    await sleep(10)
  }
}
