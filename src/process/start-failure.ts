import { ConfigError } from '../config/config.ts'
import { EmbeddedDatabaseError } from '../db/embedded/embedded.ts'
import { translateFailure } from '../db/failures.ts'
import { exitCodes, OperatorError } from './operator-error.ts'

/** What to tell an operator whose process did not start, or undefined for a defect. */
export function explainFailure(error: unknown): { message: string; code: number } | undefined {
  if (error instanceof ConfigError) return { message: error.message, code: exitCodes.refused }
  if (error instanceof OperatorError) return { message: error.message, code: error.exitCode }
  if (error instanceof EmbeddedDatabaseError) return { message: error.message, code: exitCodes.failed }
  if (isQueueSchemaMissing(error)) {
    return {
      message: 'The queue has no tables in this database; run the role migrate first.',
      code: exitCodes.failed,
    }
  }
  const code = codeOf(error)
  // In our words and not the driver's, which may hold what DATABASE_URL holds.
  const refusal = refusals[code]
  if (refusal) return { message: `${refusal}; see DATABASE_URL.`, code: exitCodes.failed }
  if (translateFailure(error) !== error) {
    return { message: `The database cannot be reached at the moment (${code}).`, code: exitCodes.failed }
  }
  return undefined
}

const refusals: Readonly<Record<string, string>> = {
  '28000': 'The database does not let this user in',
  '28P01': 'The database refuses the password',
  '3D000': 'There is no database of that name',
  '42501': 'The database user may not do what is needed',
  '3F000': 'The database has no schema to work in',
}

function isQueueSchemaMissing(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'SchemaMigrationRequiredError'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
}
