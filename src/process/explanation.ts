import { ConfigError } from '../config.ts'
import { EmbeddedDatabaseError } from '../db/embedded.ts'
import { translateFailure } from '../db/failures.ts'
import { exitCodes, OperatorError } from './failure.ts'

/** What to tell an operator whose process did not start, or undefined for a defect. */
export function explainFailure(error: unknown): { message: string; code: number } | undefined {
  if (error instanceof ConfigError) return { message: error.message, code: exitCodes.refused }
  if (error instanceof OperatorError) return { message: error.message, code: error.exitCode }
  if (error instanceof EmbeddedDatabaseError) return { message: error.message, code: exitCodes.failed }
  if (isUnprepared(error)) {
    return {
      message: 'The queue has no tables in this database; run the role migrate first.',
      code: exitCodes.failed,
    }
  }
  // Neither the URL nor the driver's words, which may hold the password.
  if (translateFailure(error) !== error) {
    return { message: `The database cannot be used at the moment${reasonOf(error)}.`, code: exitCodes.failed }
  }
  return undefined
}

function isUnprepared(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'SchemaMigrationRequiredError'
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${error.code})` : ''
}
