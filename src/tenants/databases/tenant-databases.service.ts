import { isTextLanguage } from '../../db/configuration-checks.ts'
import type { Database, TenantConnection } from '../../db/connection.ts'
import type { Positions } from '../../db/positions/positions.ts'
import { nameSchema } from '../../db/schema-names.ts'
import { findUrlProblem, parseServerAddress } from '../../db/servers/server-url.ts'
import { sqlStates } from '../../db/sql-states.ts'
import { AppError, createFaultError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { TenantRow } from '../tenants.queries.ts'
import { createUrlCipher } from './server-url-cipher.ts'
import { inspectServer } from './tenant-servers.queries.ts'

type Resources = {
  connection: TenantConnection
  ids: Ids
  /** Encrypts the URLs of servers. Without it there are none. */
  key: string | undefined
  textLanguage: string
}

/** Where the data of a tenant are. What belongs to no tenant has no reference, and is in the main database. */
type TenantLocation = { reference: string | undefined; server_url: string | null }
export type TenantDatabases = ReturnType<typeof createTenantDatabases>

/** The oldest version of PostgreSQL that the service works on. */
const minVersion = 150_000

/** Where the data of tenants are: in schemas of the main database, or on servers of their own. */
export function createTenantDatabases({ connection, ids, key, textLanguage }: Resources) {
  let created: ReturnType<typeof createUrlCipher> | undefined

  function openCipher() {
    if (key === undefined)
      throw new AppError('tenant_key_missing', 'The server was started without MEMBRANE_TENANT_KEY.')
    created ??= createUrlCipher(key)
    return created
  }

  function decrypt(encrypted: string, reference: string): string | undefined {
    return key === undefined ? undefined : openCipher().decrypt(encrypted, reference)
  }

  /** Undefined in the main database. */
  function urlOf({ reference, server_url }: TenantLocation): string | undefined {
    if (server_url === null || reference === undefined) return undefined
    const url = decrypt(server_url, reference)
    if (url !== undefined) return url
    throw new AppError(
      'not_ready',
      'The server of this tenant is unknown: MEMBRANE_TENANT_KEY is not the one with which it was stored.',
      { retryAfterSeconds: 30 },
    )
  }

  /** Throws what is wrong with the URL, or with the server. The connection is not one of those of tenants. */
  async function inspect(url: string) {
    openCipher()
    const problem = findUrlProblem(url)
    if (problem !== undefined) throw createUrlError(problem)
    return connection.visitServer(url, async (db) => {
      const { version, is_standby, may_create, identity } = await inspectServer(db).catch(explain)
      if (version < minVersion) throw createUrlError('is a server older than PostgreSQL 15')
      if (is_standby) throw createUrlError('is a standby, which takes no writes')
      if (!may_create) throw createUrlError('has a user who may not create schemas in this database')
      if (!(await isTextLanguage(db, textLanguage)))
        throw createUrlError(`has no text search configuration ${textLanguage}`)
      return { url, identity }
    })
  }

  return {
    urlOf,
    inspect,
    open: (location: TenantLocation): Database =>
      location.reference === undefined
        ? connection.db
        : connection.databaseOf(nameSchema(location.reference), urlOf(location)),
    /** Works on the server of a tenant over a connection of its own. */
    visit: <T>(location: TenantLocation, work: (db: Database) => Promise<T>): Promise<T> => {
      const url = urlOf(location)
      if (url === undefined) throw new TypeError('a tenant without a server of its own')
      return connection.visitServer(url, work)
    },
    /** Undefined in the main database. */
    positionsOf: (location: TenantLocation): Positions | undefined => {
      const url = urlOf(location)
      return url === undefined ? undefined : connection.servers.positionsOf(url)
    },
    /** Whether its server could not be used at the last attempt. */
    isAway: ({ reference, server_url }: TenantLocation): boolean => {
      const url = server_url === null || reference === undefined ? undefined : decrypt(server_url, reference)
      return url !== undefined && connection.servers.isAway(url)
    },
    /** The columns of a tenant on a server. */
    describe: ({ url, identity }: { url: string; identity: string }, reference: string) => {
      const { host, port, name } = parseServerAddress(url)
      return {
        server_url: openCipher().encrypt(url, reference, Buffer.from(ids.secret(12), 'base64url')),
        server_host: host,
        server_port: port,
        server_database: name,
        server_identity: identity,
      }
    },
    /** Stands for a URL where it must not be stored. */
    digest: (url: string): string => openCipher().digest(url),
  }
}

/** Names the server of a tenant that has one, for what is done once for each server. */
export function describeServer({ server_host, server_port, server_database }: TenantRow): string {
  return `${server_host} ${server_port} ${server_database}`
}

/** The server answered, and refused: the URL is wrong. */
const refusals: Readonly<Record<string, string>> = {
  [sqlStates.invalidPassword]: 'has a user or password that the server refuses',
  [sqlStates.invalidAuthorization]: 'has a user that the server refuses',
  [sqlStates.invalidCatalogName]: 'has a database that the server does not have',
}

function explain(error: unknown): never {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined
  const refusal = typeof code === 'string' ? refusals[code] : undefined
  if (refusal !== undefined) throw createUrlError(refusal)
  if (error instanceof AppError) throw error
  throw new AppError('database_unavailable', 'The server at database_url cannot be used.', {
    retryAfterSeconds: 5,
    cause: error,
  })
}

function createUrlError(message: string): AppError {
  return createFaultError('The database cannot have tenants.', { pointer: '/database_url', message })
}
