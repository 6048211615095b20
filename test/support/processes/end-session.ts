import type pg from 'pg'
import { administer } from '../servers/postgres-processes.ts'
import type { TestApp } from '../test-app.ts'

type ConnectCallback = Parameters<pg.Pool['connect']>[0]

/**
 * Counts the statements of an API, and ends the session before the nth: the open transaction must roll back. For
 * tests that do one thing at a time.
 */
export function createSessionEnder({ database: { pool, url } }: TestApp) {
  const watched = new WeakSet<pg.PoolClient>()
  let calls = 0
  let fatal = Number.POSITIVE_INFINITY

  function watch(client: pg.PoolClient): pg.PoolClient {
    if (watched.has(client)) return client
    watched.add(client)
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
    const sabotaged = async (...args: unknown[]) => {
      if (++calls === fatal) await endSession(client)
      return query(...args)
    }
    client.query = sabotaged as typeof client.query
    return client
  }

  async function endSession(client: pg.PoolClient): Promise<void> {
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    const { processID } = client as pg.PoolClient & { processID: number }
    await administer(url, `select pg_terminate_backend(${processID})`)
    await ended
  }

  const connect = pool.connect.bind(pool)
  // `pool.query` passes a callback.
  pool.connect = ((callback?: ConnectCallback) => {
    if (!callback) return connect().then(watch)
    return connect((error, client, done) => callback(error, client && watch(client), done))
  }) as typeof pool.connect

  return {
    /** Does some work and counts its statements; ends the session before one of them when `dyingBefore` says so. */
    async count<T>(work: () => Promise<T>, dyingBefore = Number.POSITIVE_INFINITY) {
      calls = 0
      fatal = dyingBefore
      const result = await work()
      fatal = Number.POSITIVE_INFINITY
      return { result, statements: calls }
    },
  }
}
