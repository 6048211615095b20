import { on } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { TestApp } from '../test-app.ts'

/** For tests of requests that may share a transaction. */

/** How many transactions wrote the records of a scope. */
export async function countTransactions(app: TestApp, scope: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct xmin::text)::integer as count from records where scope = ${scope}
  `.execute(app.db)
  return rows[0]?.count ?? 0
}

/**
 * Sends requests that come at the same moment, however slow the machine is: none stores its record before all have
 * arrived.
 */
export async function sendAtOnce<T>(
  { app, db }: TestApp,
  count: number,
  send: (number: number) => Promise<T>,
): Promise<T[]> {
  const { pending } = await db.transaction().execute(async (tx) => {
    await sql`lock table records in share mode`.execute(tx)
    const arrived = on(app.server, 'request')
    const pending = Promise.all(Array.from({ length: count }, (_, number) => send(number)))
    for (let left = count; left > 0; left--) await arrived.next()
    await arrived.return?.()
    return { pending }
  })
  return pending
}

/** Issues a key for each name, to tell in the log whose request wrote a record. */
export async function issueWritingKeys(app: TestApp, names: readonly string[]): Promise<string[]> {
  return Promise.all(names.map((name) => app.issueKey(['records:read', 'records:write'], { name })))
}

/** Ends every connection to the database while requests are answered, and waits for the answers. */
export async function loseConnections<T>(app: TestApp, pending: Promise<T>): Promise<T> {
  const { rows } = await sql<{ pid: number }>`
    select pid, pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
  `.execute(app.db)
  const answers = await pending
  await untilConnected(app)
  await untilEnded(
    app,
    rows.map(({ pid }) => pid),
  )
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

/** A connection says that it ends before it gives up its locks. */
async function untilEnded({ db }: TestApp, pids: readonly number[]): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await sql`select from pg_stat_activity where pid = any(${pids})`.execute(db)
      return rows.length
    })
    .toBe(0)
}
