import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { AppError } from '../../kernel/errors.ts'
import type { Logger } from '../../kernel/log.ts'
import { isConnectTimeout } from '../failures.ts'
import { computeMaxWaiting, createPool, type PoolOptions, trackConnections } from '../pool.ts'
import { createPositions } from '../positions/positions.ts'
import { createSchemaPool } from '../tenant-sessions.ts'
import { createPause } from './server-pause.ts'
import { parseServerAddress } from './server-url.ts'

export type ServerOptions = PoolOptions & {
  log?: Logger | undefined
}

export type Server = ReturnType<typeof createTenantServer>

/** While connections are in use, the server must answer this often. */
const lookEveryMs = 2_000
const lookTimeoutMs = 2_000
/** A busy process can be late for one answer. */
const maxMisses = 2

/** One server of tenants. When it cannot be used, requests for its tenants fail at once, and none for others. */
export function createTenantServer(options: ServerOptions) {
  const { poolSize, log } = options
  const pool = createPool(options)
  const address = parseServerAddress(options.url)
  const breakConnections = trackConnections(pool)
  const pause = createPause((failure) => {
    if (failure === undefined) log?.info('a server of tenants answers again', { ...address })
    else log?.warn('a server of tenants cannot be used', { ...address, err: failure })
  })
  let isWatched = false
  let usedAt = performance.now()

  const countBusy = () => pool.totalCount - pool.idleCount

  async function connect(schema: string, serial: number): Promise<pg.PoolClient> {
    usedAt = performance.now()
    if (pool.waitingCount >= computeMaxWaiting(poolSize)) throw createOverloadedError()
    // A connection that is open may still work, as after a change of the password.
    if (pool.idleCount === 0 && pause.isClosed()) throw createUnavailableError()
    try {
      const connected = pause.attempt(() => createSchemaPool(pool, schema, serial).connect())
      startWatch()
      return await connected
    } catch (error) {
      if (error instanceof AppError) throw error
      // After a timeout the server works: all connections were in use for as long as a request waits.
      if (!isConnectTimeout(error)) pause.noteFailure(error)
      throw createUnavailableError(error)
    }
  }

  function createUnavailableError(cause?: unknown): AppError {
    const message = 'The server of this tenant is unavailable at the moment.'
    const retryAfterSeconds = Math.max(2, pause.secondsLeft())
    return new AppError('database_unavailable', message, { retryAfterSeconds, cause })
  }

  function startWatch(): void {
    if (isWatched) return
    isWatched = true
    void watch().finally(() => {
      isWatched = false
    })
  }

  /** Looks whether the server still answers, until it has answered everything. */
  async function watch(): Promise<void> {
    let misses = 0
    do {
      await sleep(lookEveryMs, undefined, { ref: false })
      const failure = countBusy() > 0 ? await findSilence() : undefined
      misses = failure === undefined ? 0 : misses + 1
      if (misses >= maxMisses) giveUp(failure)
    } while (pool.totalCount > 0)
  }

  function giveUp(failure: unknown): void {
    pause.noteFailure(failure)
    breakConnections()
  }

  /** Undefined when the server answers, be it by a refusal. */
  async function findSilence(): Promise<unknown> {
    const client = new pg.Client({
      connectionString: options.url,
      application_name: `${options.applicationName} probe`,
      connectionTimeoutMillis: lookTimeoutMs,
      query_timeout: lookTimeoutMs,
    })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('select')
      return undefined
    } catch (error) {
      return error instanceof pg.DatabaseError ? undefined : error
    } finally {
      client.end().catch(() => {})
    }
  }

  return {
    connect,
    positions: createPositions(pool),
    isAway: pause.isAway,
    /** Whether anything would be lost if it were closed. */
    isIdleSince: (moment: number) => pool.totalCount === 0 && usedAt < moment,
    counts: () => ({ busy: countBusy(), idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

function createOverloadedError(): AppError {
  return new AppError('overloaded', 'Too many requests are waiting for the server of this tenant.', {
    retryAfterSeconds: 1,
  })
}
