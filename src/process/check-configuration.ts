import type { Config } from '../config/config.ts'
import { isTextLanguage } from '../db/configuration.ts'
import type { Database } from '../db/connection.ts'
import { isOutage } from '../db/failures.ts'
import { AppError } from '../kernel/errors.ts'
import { exitCodes, OperatorError } from './operator-error.ts'

/** A problem of the configuration that only the database can reveal, or undefined. */
async function findConfigurationProblem(db: Database, { records }: Config): Promise<string | undefined> {
  const { textLanguage } = records
  if (await isTextLanguage(db, textLanguage)) return undefined
  return `MEMBRANE_TEXT_LANGUAGE is ${textLanguage}, and the database has no text search configuration of this name; \\dF in psql lists them.`
}

/** Throws a problem that an operator must correct before any process can work on this database. */
export async function requireConfiguration(db: Database, config: Config): Promise<void> {
  const mistake = await findConfigurationProblem(db, config)
  if (mistake !== undefined) throw new OperatorError(mistake, exitCodes.refused)
}

/**
 * For the API, which starts without its database: returns a check for /readyz, which repeats until the database has
 * answered once.
 */
export async function watchConfiguration(db: Database, config: Config): Promise<() => Promise<void>> {
  let isRight = false
  await requireConfiguration(db, config).then(
    () => {
      isRight = true
    },
    (error) => {
      if (!isOutage(error)) throw error
    },
  )
  return async () => {
    if (isRight) return
    const mistake = await findConfigurationProblem(db, config)
    if (mistake !== undefined) throw new AppError('not_ready', mistake)
    isRight = true
  }
}
