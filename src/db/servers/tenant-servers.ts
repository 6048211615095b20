import type { PostgresPool } from 'kysely'
import { AppError } from '../../kernel/errors.ts'
import type { Positions } from '../positions/positions.ts'
import { createTenantServer, type Server, type ServerOptions } from './tenant-server.ts'

/** A server that was not used for this time is forgotten. Its connections are closed after ten seconds. */
const idleMs = 600_000
const tidyMs = 60_000
/** A server that is away must be noticed soon, also where a free connection may be awaited for longer. */
const openingTimeoutMs = 5_000

/** The servers of tenants that are not in the main database. Tenants of one URL share its connections. */
export function createTenantServers(options: Omit<ServerOptions, 'url'>) {
  const opened = new Map<string, Server>()
  const applicationName = `${options.applicationName} tenants`
  let serial = 0
  let tidying: NodeJS.Timeout | undefined

  function open(url: string): Server {
    const own = { applicationName, url, tenants: true, openingTimeoutMs }
    const server = opened.get(url) ?? createTenantServer({ ...options, ...own })
    opened.set(url, server)
    tidying ??= setInterval(tidy, tidyMs).unref()
    return server
  }

  function tidy(): void {
    const latest = performance.now() - idleMs
    for (const [url, server] of opened) if (server.isIdleSince(latest)) opened.delete(url)
  }

  const list = () => [...opened.values()]

  return {
    openSchema: (url: string, schema: string): PostgresPool => {
      const own = ++serial
      return { connect: () => open(url).connect(schema, own), end: async () => {} }
    },
    /** A position belongs to the database that wrote it. There are no replicas, so no read waits for one. */
    positionsOf: (url: string): Positions => ({
      encrypt: (known) => open(url).positions.encrypt(known),
      decrypt: async () => undefined,
    }),
    isAway: (url: string): boolean => opened.get(url)?.isAway() ?? false,
    describe: () => list().map((server) => ({ isAway: server.isAway(), ...server.counts() })),
    /** For /readyz, which anyone may read, so it names no server; the log does. */
    check: async (): Promise<void> => {
      const away = list().filter((server) => server.isAway()).length
      if (away === 0) return
      const few = `${away} of ${opened.size} servers of tenants`
      throw new AppError(
        'not_ready',
        `${few} cannot be used; their tenants get 503, and all others are served.`,
      )
    },
    close: async (): Promise<void> => {
      clearInterval(tidying)
      await Promise.all(list().map((server) => server.close()))
      opened.clear()
    },
  }
}
