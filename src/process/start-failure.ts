import { ConfigError } from '../config/config.ts'
import { EmbeddedDatabaseError, NoEmbeddedDatabaseError } from '../db/embedded/embedded.ts'
import { translateFailure } from '../db/failures.ts'
import { sqlStates } from '../db/sql-states.ts'
import { exitCodes, OperatorError } from './operator-error.ts'

/** The message and exit code for an operator whose process did not start, or undefined for a defect. */
export function explainFailure(error: unknown): { message: string; code: number } | undefined {
  if (error instanceof ConfigError) return { message: error.message, code: exitCodes.refused }
  if (error instanceof OperatorError) return { message: error.message, code: error.exitCode }
  if (error instanceof NoEmbeddedDatabaseError) return { message: error.message, code: exitCodes.refused }
  if (error instanceof EmbeddedDatabaseError) return { message: error.message, code: exitCodes.failed }
  if (isQueueSchemaMissing(error)) {
    return {
      message: 'The queue has no tables in this database; run the role migrate first.',
      code: exitCodes.failed,
    }
  }
  const code = readCode(error)
  // Our own words: the message of the driver may contain parts of DATABASE_URL.
  const refusal = refusals[code]
  if (refusal) return { message: `${refusal}; see DATABASE_URL.`, code: exitCodes.failed }
  if (translateFailure(error) !== error) {
    return { message: `The database is unavailable at the moment (${code}).`, code: exitCodes.failed }
  }
  return undefined
}

const refusals: Readonly<Record<string, string>> = {
  [sqlStates.invalidAuthorization]: 'The database does not accept this user',
  [sqlStates.invalidPassword]: 'The database does not accept the password',
  [sqlStates.invalidCatalogName]: 'There is no database with this name',
  [sqlStates.insufficientPrivilege]: 'The database user lacks a needed permission',
  [sqlStates.invalidSchemaName]: 'The database has no schema for the tables',
}

function isQueueSchemaMissing(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'SchemaMigrationRequiredError'
}

function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
}
