import type { Database } from '../../db/connection.ts'
import type { CallContext, Transaction } from '../../db/transaction.ts'
import { type Caller, isOpenTo, type Visibility } from '../../domain/trust/caller.ts'
import { canWriteTo } from '../../domain/trust/write-trust.ts'
import { AppError } from '../../kernel/errors.ts'
import { isWhole } from '../answers/record-answer.ts'
import { type Departure, findDepartures } from '../deletion/departures.queries.ts'
import { createDepartedError, createForgottenError } from '../deletion/gone-errors.ts'
import { findRecords, lockVisibleRecords } from '../records.queries.ts'
import type { MemoryRecord, RedactedRecord } from '../records.schemas.ts'
import type { StoredRecord } from '../stored-record.ts'

export async function findVisibleRecord(db: Database, caller: Caller, id: string): Promise<StoredRecord> {
  const [stored] = await findRecords(db, [id], caller.trust)
  if (stored) return stored
  throw (await explainMissing(db, caller, [id]))(id)
}

/** A record that the caller reads in full, even if it is forgotten, or what remains of a purged or erased one. */
export async function findRecordOrDeparture(
  db: Database,
  caller: Caller,
  id: string,
): Promise<StoredRecord | Departure> {
  const [stored] = await findRecords(db, [id], caller.trust)
  const [known = stored] = stored ? [] : await findDepartures(db, [id], caller.trust)
  if (!known) throw createMissingError()
  if (!isOpenTo(caller.trust, known.sensitivity)) throw createAboveCeilingError()
  return known
}

/** Returns the error for each id that was not found: the record was purged or erased, or the caller never saw it. */
export async function explainMissing(db: Database, caller: Caller, ids: readonly string[]) {
  const departures = ids.length === 0 ? [] : await findDepartures(db, ids, caller.trust)
  const byId = new Map(departures.map((row) => [row.id, row]))
  return (id: string): AppError => {
    const row = byId.get(id.toLowerCase())
    if (!row) return createMissingError()
    return createDepartedError(row, { isReadable: isOpenTo(caller.trust, row.sensitivity) })
  }
}

/**
 * Every change loads its record here. The record is locked, the caller reads it in full and may write to its scope, it
 * is not forgotten, and it has the version that the caller expects.
 */
export async function loadForUpdate(tx: Transaction, call: CallContext, id: string): Promise<StoredRecord> {
  const [loaded = createMissingError()] = await loadManyForUpdate(tx, call, [id])
  if (loaded instanceof AppError) throw loaded
  return loaded
}

export function requireWhole(record: MemoryRecord | RedactedRecord): MemoryRecord {
  if (isWhole(record)) return record
  throw createAboveCeilingError()
}

/** For each id, in the given order, the locked record or the error that forbids the change. */
export async function loadManyForUpdate(
  tx: Transaction,
  call: CallContext,
  ids: readonly string[],
): Promise<(StoredRecord | AppError)[]> {
  return lockEach(tx, call.caller, ids, (stored) => checkChangeable(call, stored) ?? stored)
}

/** Like `loadForUpdate`, for operations that also work on a forgotten record. */
export async function loadAnyForUpdate(
  tx: Transaction,
  call: CallContext,
  id: string,
): Promise<StoredRecord> {
  const stored = await lockVisibleRecord(tx, call.caller, id)
  requireChangeable(call.caller, stored)
  const refusal = checkVersion(call, stored)
  if (refusal) throw refusal
  return stored
}

/** Locks a record that does not change itself: a key of one scope may link to an unscoped record or report its use. */
export async function lockReadableRecord(
  tx: Transaction,
  caller: Caller,
  id: string,
  now: Date,
): Promise<StoredRecord> {
  return requireReadable(caller, await lockVisibleRecord(tx, caller, id), now)
}

export async function lockReadableRecords(
  tx: Transaction,
  caller: Caller,
  ids: readonly string[],
): Promise<(StoredRecord | AppError)[]> {
  return lockEach(tx, caller, ids, (stored) => checkReadable(caller, stored) ?? stored)
}

async function lockVisibleRecord(tx: Transaction, caller: Caller, id: string): Promise<StoredRecord> {
  const [stored] = await lockEach(tx, caller, [id], (found) => found)
  if (!stored || stored instanceof AppError) throw stored ?? createMissingError()
  return stored
}

async function lockEach(
  tx: Transaction,
  caller: Caller,
  ids: readonly string[],
  check: (stored: StoredRecord) => StoredRecord | AppError,
): Promise<(StoredRecord | AppError)[]> {
  const locked = await lockVisibleRecords(tx, ids, caller.trust)
  const found = locked.length === 0 ? [] : await findRecords(tx, locked, caller.trust)
  const byId = new Map(found.map((stored) => [stored.id, stored]))
  const absent = ids.filter((id) => !byId.has(id.toLowerCase()))
  const refuse = await explainMissing(tx, caller, absent)
  return ids.map((id) => {
    const stored = byId.get(id.toLowerCase())
    return stored ? check(stored) : refuse(id)
  })
}

/** The rule of every change: the caller reads the record in full and may write to its scope. */
export function requireChangeable(caller: Caller, record: Visibility): void {
  const refusal = checkTrust(caller, record)
  if (refusal) throw refusal
}

export function mayChange(caller: Caller, record: Visibility): boolean {
  return checkTrust(caller, record) === undefined
}

function checkTrust(caller: Caller, { sensitivity, scope }: Visibility): AppError | undefined {
  if (!isOpenTo(caller.trust, sensitivity)) return createAboveCeilingError()
  return canWriteTo(caller.trust, scope) ? undefined : createOutsideScopesError()
}

function checkChangeable(call: CallContext, stored: StoredRecord): AppError | undefined {
  const { caller, now } = call
  return checkTrust(caller, stored) ?? checkReadable(caller, stored, now) ?? checkVersion(call, stored)
}

function checkVersion({ expectedVersions }: CallContext, { version }: StoredRecord): AppError | undefined {
  if (expectedVersions === undefined || expectedVersions.includes(version)) return undefined
  return new AppError('version_mismatch', 'The record has another version than If-Match expects.', {
    extra: { version },
  })
}

/** A record that the caller reads in full and that is not forgotten may be linked to. */
function checkReadable(caller: Caller, stored: StoredRecord, now?: Date): AppError | undefined {
  if (!isOpenTo(caller.trust, stored.sensitivity)) return createAboveCeilingError()
  return stored.forgotten_at ? createForgottenError(stored, { isReadable: true, now }) : undefined
}

/**
 * A record that the caller reads in full and that is not forgotten. `now` decides whether a forgotten record counts as
 * purged.
 */
export async function findReadableRecord(
  db: Database,
  caller: Caller,
  id: string,
  now?: Date,
): Promise<StoredRecord> {
  return requireReadable(caller, await findVisibleRecord(db, caller, id), now)
}

function requireReadable(caller: Caller, stored: StoredRecord, now?: Date): StoredRecord {
  const refusal = checkReadable(caller, stored, now)
  if (refusal) throw refusal
  return stored
}

function createMissingError(): AppError {
  return new AppError('record_not_found', 'There is no such record.')
}

function createOutsideScopesError(): AppError {
  return new AppError('outside_trust', 'The key may read this record but may not write to its scope.')
}

function createAboveCeilingError(): AppError {
  return new AppError('above_ceiling', 'The key sees this record only in redacted form.')
}
