import pg from 'pg'
import { AppError } from '../kernel/errors.ts'

/** Serialization failure, deadlock: the same transaction run again may well succeed. */
const retryable = new Set(['40001', '40P01'])

/**
 * Somebody else came to be known by the same name meanwhile, or a record that is being linked was removed: run
 * again, the transaction finds what there is now.
 */
const lostRaces = new Set(['handles_place', 'relations_source', 'relations_target'])

/**
 * The server is going, coming, full (of sessions, or its disk or memory) or told us to wait; nothing about the request
 * was wrong.
 */
const unavailable = new Set([
  '53100',
  '53200',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '55P03',
  '57014',
  '25P03',
  '40001',
  '40P01',
])

/** Raised by erased_among() of migration 0003. */
const foreignTombstone = 'MBT01'

/** A statement that was ended because it took longer than it may. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014'
}

const networkFailures = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'ENOENT',
  'EAI_AGAIN',
])

export function isRetryable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false
  return retryable.has(error.code) || lostRaces.has(violatedConstraint(error) ?? '')
}

/** The constraint that refused the row, or undefined when the failure was another. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined
  return error.code === '23505' || error.code === '23503' || error.code === '23514'
    ? error.constraint
    : undefined
}

/** An outage becomes what the caller can act on; everything else stays what it is, a defect. */
export function translateFailure(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && error.code === foreignTombstone) {
    return new AppError('tombstone_key_mismatch', 'This server cannot keep to the tombstones there are.', {
      cause: error,
    })
  }
  if (!isOutage(error)) return error
  return new AppError('database_unavailable', 'The database cannot answer at the moment.', {
    retryAfterSeconds: 2,
    cause: error,
  })
}

/** Nothing about the statement was wrong: it may well succeed later. */
export function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    return error.code !== undefined && (unavailable.has(error.code) || error.code.startsWith('08'))
  }
  if (error instanceof AggregateError) return error.errors.some(isOutage)
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string' && networkFailures.has(error.code)) return true
  // pg raises these two without a code.
  return (
    error.message.startsWith('Connection terminated') ||
    error.message === 'timeout exceeded when trying to connect' ||
    error.message === 'Client has encountered a connection error and is not queryable'
  )
}
