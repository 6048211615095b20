import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../src/db/embedded/embedded.ts'

export type Server = { url: string; version: string; stop(): Promise<void> }

/** The server at BENCH_DATABASE_URL, or an embedded one with the durability of `npm start`. */
export async function startServer(): Promise<Server> {
  const given = process.env['BENCH_DATABASE_URL']
  if (given) return { url: given, version: await readVersion(given), stop: async () => {} }
  const directory = await mkdtemp(join(tmpdir(), 'membrane-bench-'))
  const server = await startEmbeddedPostgres({ dataDir: directory })
  return {
    url: server.url,
    version: await readVersion(server.url),
    async stop() {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function readVersion(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  await client.end()
  return rows[0]?.server_version ?? 'unknown'
}
