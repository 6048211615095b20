import type { Config } from '../config/config.ts'
import { connect, type Database } from '../db/connection.ts'
import { connectToEmbeddedPostgres } from '../db/embedded/embedded.ts'
import { requireMigrated } from './migration.ts'
import { exitCodes } from './operator-error.ts'

type Resources = {
  config: Config
  /** For the person at the terminal. */
  print(line: string): void
  /** Holds the store against its laws, and says of each how it stands. */
  check(db: Database): AsyncIterable<{ line: string; isSatisfied: boolean }>
}

/** Of one law, over a large table, on a machine that has other things to do. */
const statementTimeoutMs = 600_000

/** Answers the exit code: whether all that could be asked of the store was so. */
export async function checkStore({ config, print, check }: Resources): Promise<number> {
  const { database, dataDir } = config
  const visited =
    database.url === undefined ? await connectToEmbeddedPostgres({ dataDir, log: print }) : undefined
  const { db, close } = connect({
    ...{ ...database, url: database.url ?? visited?.url ?? '', poolSize: 1, statementTimeoutMs },
    applicationName: 'membrane check',
  })
  try {
    await requireMigrated(db)
    let broken = 0
    for await (const { line, isSatisfied } of check(db)) {
      print(line)
      if (!isSatisfied) broken++
    }
    print(
      broken === 0 ? 'Every law is held.' : `${broken} of the laws are not held, or could not be checked.`,
    )
    return broken === 0 ? exitCodes.stopped : exitCodes.failed
  } finally {
    await close()
    await visited?.leave()
  }
}
