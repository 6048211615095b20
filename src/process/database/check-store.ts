import type { Config } from '../../config/config.ts'
import { type Connection, connect } from '../../db/connection.ts'
import { connectToEmbeddedPostgres } from '../../db/embedded/embedded.ts'
import { exitCodes } from '../operator-error.ts'
import { requireMigrated } from './migration.ts'

type Resources = {
  config: Config
  /** Prints a line to the terminal. */
  print(line: string): void
  /** Checks the store against all laws and returns a line for each. */
  check(connection: Connection, config: Config): AsyncIterable<{ line: string; isSatisfied: boolean }>
}

/** For one law over a large table on a busy machine. */
const statementTimeoutMs = 600_000

/** Returns the exit code: 0 when every law could be checked and holds. */
export async function checkStore({ config, print, check }: Resources): Promise<number> {
  const { database, dataDir } = config
  const visited =
    database.url === undefined ? await connectToEmbeddedPostgres({ dataDir, log: print }) : undefined
  const connection = connect({
    ...database,
    url: database.url ?? visited?.url ?? '',
    poolSize: 1,
    statementTimeoutMs,
    applicationName: 'membrane check',
    tenants: config.tenants,
  })
  const { db, close } = connection
  try {
    await requireMigrated(db)
    let broken = 0
    for await (const { line, isSatisfied } of check(connection, config)) {
      print(line)
      if (!isSatisfied) broken++
    }
    print(broken === 0 ? 'Every law holds.' : `${broken} of the laws are broken or could not be checked.`)
    return broken === 0 ? exitCodes.stopped : exitCodes.failed
  } finally {
    await close()
    await visited?.leave()
  }
}
