import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.ts'
import { migrate } from './servers/migrated-database.ts'
import { administer, isRunning, quitPostgres, urlOf } from './servers/postgres-processes.ts'
import { openRedis } from './servers/redis-server.ts'
import { testDataRoot } from './test-data-root.ts'

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
  if (url) return { url, strategy: await chooseStrategy(url), stop: async () => {} }
  await removeAbandoned()
  const dataDir = await mkdtemp(join(testDataRoot, `${prefix}${process.pid}-`))
  const server = await startEmbeddedPostgres({ dataDir, durable: false })
  return {
    url: server.url,
    strategy: await chooseStrategy(server.url),
    stop: async () => {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Without fsync the checkpoint that a copy of files needs costs less than the write-ahead log of a whole database. */
async function chooseStrategy(url: string): Promise<Server['strategy']> {
  const [fsync] = await administer(url, 'show fsync')
  return fsync?.rows[0].fsync === 'off' ? 'file_copy' : 'wal_log'
}

/** Stops the servers that killed runs left behind. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(testDataRoot)) {
    if (!name.startsWith(prefix) || isRunning(Number.parseInt(name.slice(prefix.length), 10))) continue
    const dataDir = join(testDataRoot, name)
    await quitPostgres(dataDir)
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function dropAll(url: string, template: string): Promise<void> {
  const [found] = await administer(
    url,
    `select datname from pg_database where starts_with(datname, '${template}')`,
  )
  const statements = found?.rows.map(({ datname }) => `drop database if exists ${datname} with (force)`) ?? []
  await administer(url, ...statements)
}
