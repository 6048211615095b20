import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type Connection, connect } from '../src/db/connection.ts'
import { migrateUp } from '../src/db/migrator.ts'

export type BenchDatabase = { url: string; pool: pg.Pool; drop(): Promise<void> }

/** Creates a migrated database for one benchmark, on the shared server. */
export async function createDatabase(serverUrl: string): Promise<BenchDatabase> {
  const name = `membrane_bench_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await migrate(url.href)
  // As many connections as an API process has by default, so that both sides have the same limit.
  const pool = new pg.Pool({ connectionString: url.href, max: 10 })
  // A connection that closes while its database is dropped says so.
  pool.on('error', () => {})
  return {
    url: url.href,
    pool,
    async drop() {
      await pool.end()
      await onServer(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

/** Connects to a benchmark's database as the service does, without time limits. */
export function connectBench(url: string, poolSize: number): Connection {
  return connect({
    url,
    poolSize,
    statementTimeoutMs: 0,
    lockTimeoutMs: 0,
    applicationName: 'membrane bench',
  })
}

async function migrate(url: string): Promise<void> {
  const { db, close } = connectBench(url, 1)
  await migrateUp(db)
  await close()
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(statement)
  await client.end()
}
