import pg from 'pg'
import { AppError } from '../kernel/errors.ts'
import { sqlStates } from './sql-states.ts'

/** The same transaction can succeed when it runs again. */
const retryable: ReadonlySet<string> = new Set([sqlStates.serializationFailure, sqlStates.deadlockDetected])

/**
 * Another transaction took the same name, or removed a record that is linked here: run again, the transaction finds
 * the new state.
 */
const retryableConstraints = new Set(['handles_place', 'relations_source', 'relations_target'])

/**
 * The server starts, stops, is full (sessions, disk, memory), ran into a timeout, or accepts no writes: it is a standby that
 * is not promoted yet, or its operator protects a full disk. Nothing in the request was wrong.
 */
const unavailable: ReadonlySet<string> = new Set([
  ...retryable,
  sqlStates.diskFull,
  sqlStates.outOfMemory,
  sqlStates.tooManyConnections,
  sqlStates.adminShutdown,
  sqlStates.crashShutdown,
  sqlStates.cannotConnectNow,
  sqlStates.lockNotAvailable,
  sqlStates.queryCanceled,
  sqlStates.idleInTransactionTimeout,
  sqlStates.readOnlyTransaction,
])

const constraintViolations: ReadonlySet<string> = new Set([
  sqlStates.uniqueViolation,
  sqlStates.foreignKeyViolation,
  sqlStates.checkViolation,
])

const missingObjects: ReadonlySet<string> = new Set([
  sqlStates.invalidSchemaName,
  sqlStates.undefinedTable,
  sqlStates.undefinedObject,
  sqlStates.undefinedFunction,
])

/** Whether a statement was cancelled by its timeout. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === sqlStates.queryCanceled
}

/** Whether a statement waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === sqlStates.lockNotAvailable
}

const networkFailures = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOENT',
  'EAI_AGAIN',
])

export function isRetryable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false
  return retryable.has(error.code) || retryableConstraints.has(findViolatedConstraint(error) ?? '')
}

/** The violated constraint, or undefined for another failure. A node of Citus adds the number of a shard to the name. */
export function findViolatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined
  return constraintViolations.has(error.code ?? '') ? error.constraint?.replace(/_\d+$/, '') : undefined
}

/** Turns an outage into an AppError that the caller can act on. Everything else is returned as it is: a defect. */
export function translateFailure(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && error.code === sqlStates.foreignTombstone) {
    return new AppError(
      'tombstone_key_mismatch',
      'Records were erased with a tombstone key that this server does not have; see MEMBRANE_TOMBSTONE_KEY.',
      { cause: error },
    )
  }
  if (error instanceof AppError || !isOutage(error)) return error
  return new AppError('database_unavailable', 'The database is unavailable at the moment.', {
    retryAfterSeconds: 2,
    cause: error,
  })
}

/** Whether a statement surely changed nothing. A lost connection, in contrast, leaves open what was committed. */
export function changedNothing(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false
  return !['08', '53', '57P', 'XX'].some((family) => error.code?.startsWith(family))
}

/** Whether a table, a type or a function is gone, as while the schema of a tenant is dropped. */
export function isSchemaGone(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false
  const isLost =
    error.code === sqlStates.internalError &&
    /^(?:could not open relation|cache lookup failed)/.test(error.message)
  return isLost || missingObjects.has(error.code)
}

/** Whether a statement names what the database does not have, as it does before its migrations. */
export function isObjectMissing(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false
  return missingObjects.has(error.code) || error.code === sqlStates.undefinedColumn
}

/** Whether a pool gave no connection in time: none could be opened, or all were in use. */
export function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}

/** Whether the failure is an outage: the same statement can succeed later. The server of a tenant says so itself. */
export function isOutage(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'database_unavailable' || error.code === 'overloaded'
  if (error instanceof pg.DatabaseError) {
    return error.code !== undefined && (unavailable.has(error.code) || error.code.startsWith('08'))
  }
  if (error instanceof AggregateError) return error.errors.some(isOutage)
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string' && networkFailures.has(error.code)) return true
  // pg raises these errors without a code.
  return (
    isConnectTimeout(error) ||
    error.message.startsWith('Connection terminated') ||
    error.message === 'Client has encountered a connection error and is not queryable'
  )
}
