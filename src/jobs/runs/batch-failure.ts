import { isOutage, isStatementTimeout } from '../../db/failures.ts'
import { RunEnded } from './runs.ts'

/** False for the end of the run and for an outage, which no smaller batch avoids. A smaller one may be within the time limit. */
export function isBatchFailure(error: unknown): boolean {
  return !(error instanceof RunEnded) && (!isOutage(error) || isStatementTimeout(error))
}
