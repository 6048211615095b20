import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { connect } from '../../src/db/connection.ts'
import { administer, urlOf } from './postgres-processes.ts'

export type DatabaseServer = {
  /** A database on the test server from which others are created and dropped. */
  url: string
  /** A migrated database nobody connects to; its name begins those of all databases of this run. */
  template: string
  /** How it copies the template. */
  strategy: 'wal_log' | 'file_copy'
}

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: DatabaseServer
    /** Null where there is neither a REDIS_URL nor a redis-server. */
    redisUrl: string | null
  }
}

export type TestDatabase = { url: string; drop(): Promise<void> }

/** A migrated database of this file's own, in the time it takes to copy one. */
function createTestDatabase(): Promise<TestDatabase> {
  return create(inject('databaseServer').template)
}

/** A database without any table, for those who migrate it themselves. */
export function createEmptyTestDatabase(): Promise<TestDatabase> {
  return create('template0')
}

/** A database of this file's own, connected as the product connects. */
export async function openTestDatabase() {
  const { url, drop } = await createTestDatabase()
  const connection = connect({
    url,
    poolSize: 10,
    statementTimeoutMs: 30_000,
    lockTimeoutMs: 10_000,
    applicationName: 'membrane test',
  })
  return {
    db: connection.db,
    pool: connection.pool,
    url,
    close: async () => {
      await connection.close()
      await drop()
    },
  }
}

async function create(template: string): Promise<TestDatabase> {
  const server = inject('databaseServer')
  const name = `${server.template}_${randomUUID().slice(0, 8)}`
  await administer(server.url, `create database ${name} template ${template} strategy ${server.strategy}`)
  return {
    url: urlOf(server.url, name),
    drop: async () => {
      await administer(server.url, `drop database if exists ${name} with (force)`)
    },
  }
}
