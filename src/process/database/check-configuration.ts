import type { Config } from '../../config/config.ts'
import { computeLead, hasForeignTombstones, isTextLanguage } from '../../db/configuration-checks.ts'
import type { Database } from '../../db/connection.ts'
import { isOutage } from '../../db/failures.ts'
import { createSeal } from '../../domain/identity/tombstone-seal.ts'
import { type Clock, maxClockDifferenceMs } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Logger } from '../../kernel/log.ts'
import { exitCodes, OperatorError } from '../operator-error.ts'

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

/**
 * Returns a check for /readyz that the process can store content although something was erased. It repeats, because
 * another process may erase the first record. With tenants it sees only the tombstones that belong to no tenant. A problem
 * stops no process: it can still be read from, and an admin can lift the tombstones of a lost key.
 */
export function watchTombstones(
  db: Database,
  { records: { tombstoneKey } }: Config,
  log: Logger,
): () => Promise<void> {
  const { keyId } = createSeal(tombstoneKey)
  const problem = `Records were erased with ${tombstoneKey === undefined ? 'a key, and MEMBRANE_TOMBSTONE_KEY is not set' : 'another MEMBRANE_TOMBSTONE_KEY'}, so no content can be stored. Start every process with the key of the erasures.`
  let isLogged = false
  const check = async () => {
    if (!(await hasForeignTombstones(db, keyId))) return
    if (!isLogged) log.error(problem)
    isLogged = true
    throw new AppError('not_ready', problem)
  }
  // Logged at the start, so that an operator who does not read /readyz sees it too.
  void check().catch(() => {})
  return check
}

/** Returns a check for /readyz that the clock of the process is not far from that of the database. */
export function watchClock(db: Database, clock: Clock): () => Promise<void> {
  return async () => {
    const lead = await computeLead(db, clock.now())
    if (Math.abs(lead) <= maxClockDifferenceMs) return
    throw new AppError(
      'not_ready',
      `The clock of this process is far ${lead > 0 ? 'ahead of' : 'behind'} that of the database, so what it stores has a wrong time. Correct the clock.`,
    )
  }
}
