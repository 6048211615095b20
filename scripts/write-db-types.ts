import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '../src/db/connection.ts'
import { startEmbeddedPostgres } from '../src/db/embedded/embedded.ts'
import { migrateUp } from '../src/db/migrator.ts'

const schema = fileURLToPath(new URL('../src/db/schema.ts', import.meta.url))
const generator = fileURLToPath(new URL('../node_modules/kysely-codegen/dist/cli/bin.js', import.meta.url))

/** The TypeScript types that the driver returns: the connection reads bigints as numbers. */
const types = { int8: 'number', timestamptz: 'Date', jsonb: 'Json', tsvector: 'string' }

/** Writes the types of the tables at `url` to src/db/schema.ts, or to another file for a comparison. */
export function writeDatabaseTypes(url: string, file = schema): void {
  const flags = [
    '--dialect',
    'postgres',
    '--url',
    url,
    '--out-file',
    file,
    '--log-level',
    'error',
    '--exclude-pattern',
    'kysely_*',
    '--type-mapping',
    JSON.stringify(types),
  ]
  execFileSync(process.execPath, [generator, ...flags])
}

/** Applies all migrations to a new embedded database, so that the types never come from an outdated one. */
async function writeFromMigrations(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'membrane-db-types-'))
  const server = await startEmbeddedPostgres({ dataDir, durable: false })
  try {
    const { db, close } = connect({
      url: server.url,
      poolSize: 1,
      statementTimeoutMs: 0,
      lockTimeoutMs: 0,
      applicationName: 'membrane db:types',
    })
    await migrateUp(db)
    await close()
    writeDatabaseTypes(server.url)
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (import.meta.main) await writeFromMigrations()
