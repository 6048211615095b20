import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const schema = fileURLToPath(new URL('../src/db/schema.ts', import.meta.url))
const generator = fileURLToPath(new URL('../node_modules/kysely-codegen/dist/cli/bin.js', import.meta.url))

/** How the driver answers these: the connection reads bigints as numbers, and only checked JSON is stored. */
const types = { int8: 'number', timestamptz: 'Date', jsonb: 'Json', tsvector: 'string' }

/** Writes the types of the tables at `url`: to src/db/schema.ts, or elsewhere to be compared with it. */
export function writeDatabaseTypes(url: string, file = schema): void {
  const flags = [
    ...['--dialect', 'postgres', '--url', url, '--out-file', file, '--log-level', 'error'],
    ...['--exclude-pattern', 'kysely_*', '--type-mapping', JSON.stringify(types)],
  ]
  execFileSync(process.execPath, [generator, ...flags])
}

if (import.meta.main) {
  const url = process.env['DATABASE_URL']
  if (url === undefined) throw new Error('DATABASE_URL names a database with every migration applied')
  writeDatabaseTypes(url)
}
