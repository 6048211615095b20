import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { connect } from '../../../src/db/connection.ts'
import { citusUrl, createDistributedSchema } from './citus.ts'
import { administer, urlOf } from './postgres-processes.ts'

export type DatabaseServer = {
  /** The URL of a database on the test server from which others are created and dropped. */
  url: string
  /** A migrated database to copy; its name is the prefix of all databases of this run. */
  template: string
  /** The copy strategy of the template. */
  strategy: 'wal_log' | 'file_copy'
}

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: DatabaseServer
    /** Null without a REDIS_URL and a redis-server. */
    redisUrl: string | null
  }
}

/** Each connection that is opened plans its first statements anew, which took a twentieth of the time of all tests with ten. */
export const testPoolSize = 5

export type TestDatabase = { url: string; drop(): Promise<void> }

/**
 * Creates a migrated database for one test file, as a copy of the template; on Citus, a schema on one of its nodes. Tenants
 * have schemas of their own, so they always get a database.
 */
function createTestDatabase(tenants: boolean): Promise<TestDatabase> {
  return citusUrl === undefined || tenants
    ? create(inject('databaseServer').template)
    : createDistributedSchema(citusUrl)
}

/** Creates a database without tables, for tests of the migrations. */
export function createEmptyTestDatabase(): Promise<TestDatabase> {
  return create('template0')
}

/** Creates a database without tables, whose locale knows no letters beyond ASCII. */
export function createAsciiTestDatabase(): Promise<TestDatabase> {
  return create('template0', "locale_provider libc locale 'C'")
}

/** Creates a database for one test file and connects as the product does. */
export async function openTestDatabase({
  tenants = false,
  statementTimeoutMs = 30_000,
  lockTimeoutMs = 10_000,
} = {}) {
  const created = await createTestDatabase(tenants)
  return open(created, { poolSize: testPoolSize, statementTimeoutMs, lockTimeoutMs, tenants })
}

/** Creates a database without tables and connects to it. */
export async function openEmptyTestDatabase(poolSize: number) {
  const created = await createEmptyTestDatabase()
  return open(created, { poolSize, statementTimeoutMs: 20_000, lockTimeoutMs: 5_000 })
}

type Settings = Omit<Parameters<typeof connect>[0], 'url' | 'applicationName'>

function open({ url, drop }: TestDatabase, settings: Settings) {
  const connection = connect({ url, applicationName: 'membrane test', ...settings })
  return {
    ...connection,
    url,
    close: async () => {
      await connection.close()
      await drop()
    },
  }
}

async function create(template: string, options = ''): Promise<TestDatabase> {
  const server = inject('databaseServer')
  const name = `${server.template}_${randomUUID().slice(0, 8)}`
  await administer(
    server.url,
    `create database ${name} template ${template} strategy ${server.strategy} ${options}`,
  )
  return {
    url: urlOf(server.url, name),
    drop: async () => {
      await administer(server.url, `drop database if exists ${name} with (force)`)
    },
  }
}
