import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { connect } from '../../src/db/connection.ts'
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.ts'
import { migrateUp } from '../../src/db/migrator.ts'
import { dataFolder } from './data-folder.ts'
import { administer, isRunning, quitPostgres, urlOf } from './postgres-processes.ts'
import { openRedis } from './redis-server.ts'

const prefix = 'membrane-test-'

/** Starts one server with one migrated template for the whole run; every test file copies the template. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // The unit tests need no database, and are run alone to be quick.
  if (project.vitest.projects.every(({ name }) => name === 'unit')) return undefined
  const server = await openServer(process.env['TEST_DATABASE_URL'])
  const template = `membrane_test_${randomUUID().slice(0, 8)}`
  await administer(server.url, `create database ${template} template template0`)
  await migrate(urlOf(server.url, template))
  project.provide('databaseServer', { url: server.url, template, strategy: server.strategy })
  const redis = await openRedis(process.env['REDIS_URL'])
  project.provide('redisUrl', redis?.url ?? null)
  return async () => {
    redis?.stop()
    await dropAll(server.url, template)
    await server.stop()
  }
}

type Server = { url: string; strategy: 'wal_log' | 'file_copy'; stop(): Promise<void> }

async function openServer(url: string | undefined): Promise<Server> {
  if (url) return { url: url, strategy: 'wal_log', stop: async () => {} }
  await removeAbandoned()
  const dataDir = await mkdtemp(join(dataFolder, `${prefix}${process.pid}-`))
  const server = await startEmbeddedPostgres({ dataDir, durable: false })
  return {
    url: server.url,
    // Without fsync the checkpoint that it needs costs less than the write-ahead log of a whole database.
    strategy: 'file_copy',
    stop: async () => {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Stops the servers that killed runs left behind. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(dataFolder)) {
    if (!name.startsWith(prefix) || isRunning(Number.parseInt(name.slice(prefix.length), 10))) continue
    const dataDir = join(dataFolder, name)
    await quitPostgres(dataDir)
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function migrate(url: string): Promise<void> {
  const { db, close } = connect({
    url,
    poolSize: 1,
    statementTimeoutMs: 0,
    lockTimeoutMs: 0,
    applicationName: 'membrane test setup',
  })
  await migrateUp(db)
  await close()
}

async function dropAll(url: string, template: string): Promise<void> {
  const [found] = await administer(
    url,
    `select datname from pg_database where starts_with(datname, '${template}')`,
  )
  const statements = found?.rows.map(({ datname }) => `drop database if exists ${datname} with (force)`) ?? []
  await administer(url, ...statements)
}
