import type { Database } from '../db/connection.ts'
import type { CallContext } from '../db/transaction.ts'
import { isOpenTo } from '../db/visibility.ts'
import type { Caller } from '../domain/caller.ts'
import { canWriteTo } from '../domain/write-trust.ts'
import { AppError } from '../kernel/errors.ts'
import { departed, gone } from './deleted-record.ts'
import { type DepartureRow, findDepartures } from './deleted-records.queries.ts'
import { findRecords, lockRecords } from './records.queries.ts'
import type { StoredRecord } from './stored-record.ts'

export async function findSeenRecord(db: Database, caller: Caller, id: string): Promise<StoredRecord> {
  const [stored] = await findRecords(db, [id], caller.trust)
  if (stored) return stored
  throw (await refuseMissing(db, caller, [id]))(id)
}

/** A record that may be read whole, forgotten or not, or what remains of one. */
export async function findKnownRecord(
  db: Database,
  caller: Caller,
  id: string,
): Promise<StoredRecord | DepartureRow> {
  const [stored] = await findRecords(db, [id], caller.trust)
  const [known = stored] = stored ? [] : await findDepartures(db, [id], caller.trust)
  if (!known) throw missing()
  if (!isOpenTo(caller.trust, known.sensitivity)) throw aboveCeiling()
  return known
}

/** Why these are not there: each is no more, or never was this caller's. */
async function refuseMissing(db: Database, caller: Caller, ids: readonly string[]) {
  const departures = ids.length === 0 ? [] : await findDepartures(db, ids, caller.trust)
  const byId = new Map(departures.map((row) => [row.id, row]))
  return (id: string): AppError => {
    const row = byId.get(id.toLowerCase())
    return row ? departed(row, isOpenTo(caller.trust, row.sensitivity)) : missing()
  }
}

/**
 * The one way to load a record in order to change it: locked, readable as a whole, in a scope that the caller may
 * write to, alive, and at the version the caller expects.
 */
export async function claimRecord(tx: Database, call: CallContext, id: string): Promise<StoredRecord> {
  const [claimed = missing()] = await claimRecords(tx, call, [id])
  if (claimed instanceof AppError) throw claimed
  return claimed
}

/** For each id, in the order asked, the claimed record or why it cannot be claimed. */
export async function claimRecords(
  tx: Database,
  call: CallContext,
  ids: readonly string[],
): Promise<(StoredRecord | AppError)[]> {
  return lockEach(tx, call.caller, ids, (stored) => refuseChange(call, stored) ?? stored)
}

/** As claimRecord, for what can be done to a forgotten record too. */
export async function claimAnyRecord(tx: Database, call: CallContext, id: string): Promise<StoredRecord> {
  await lockRecords(tx, [id])
  const stored = await findSeenRecord(tx, call.caller, id)
  requireChangeable(call.caller, stored)
  const refusal = refuseVersion(call, stored)
  if (refusal) throw refusal
  return stored
}

/** Locks a record that is not changed itself: a key of one scope may link to an unscoped record and note its use. */
export async function lockOpenRecord(tx: Database, caller: Caller, id: string): Promise<StoredRecord> {
  await lockRecords(tx, [id])
  return findOpenRecord(tx, caller, id)
}

export async function lockOpenRecords(
  tx: Database,
  caller: Caller,
  ids: readonly string[],
): Promise<(StoredRecord | AppError)[]> {
  return lockEach(tx, caller, ids, (stored) => refuseClosed(caller, stored) ?? stored)
}

async function lockEach(
  tx: Database,
  caller: Caller,
  ids: readonly string[],
  judge: (stored: StoredRecord) => StoredRecord | AppError,
): Promise<(StoredRecord | AppError)[]> {
  await lockRecords(tx, ids)
  const found = await findRecords(tx, ids, caller.trust)
  const byId = new Map(found.map((stored) => [stored.id, stored]))
  const absent = ids.filter((id) => !byId.has(id.toLowerCase()))
  const refuse = await refuseMissing(tx, caller, absent)
  return ids.map((id) => {
    const stored = byId.get(id.toLowerCase())
    return stored ? judge(stored) : refuse(id)
  })
}

type Guarded = Pick<StoredRecord, 'sensitivity' | 'scope'>

/** The rule of every change: the caller reads the record as a whole and may write to its scope. */
export function requireChangeable(caller: Caller, record: Guarded): void {
  const refusal = refuseUntrusted(caller, record)
  if (refusal) throw refusal
}

export function mayChange(caller: Caller, record: Guarded): boolean {
  return refuseUntrusted(caller, record) === undefined
}

function refuseUntrusted(caller: Caller, { sensitivity, scope }: Guarded): AppError | undefined {
  if (!isOpenTo(caller.trust, sensitivity)) return aboveCeiling()
  return canWriteTo(caller.trust, scope) ? undefined : outsideScopes()
}

function refuseChange(call: CallContext, stored: StoredRecord): AppError | undefined {
  const { caller } = call
  return refuseUntrusted(caller, stored) ?? refuseClosed(caller, stored) ?? refuseVersion(call, stored)
}

function refuseVersion({ expectedVersion }: CallContext, { version }: StoredRecord): AppError | undefined {
  if (expectedVersion === undefined || expectedVersion === version) return undefined
  return new AppError('version_mismatch', 'The record is at another version.', { extra: { version } })
}

/** A record that may be linked to is readable as a whole and alive. */
function refuseClosed(caller: Caller, stored: StoredRecord): AppError | undefined {
  if (!isOpenTo(caller.trust, stored.sensitivity)) return aboveCeiling()
  return stored.forgotten_at ? gone(stored, true) : undefined
}

/** A record that may be linked to. */
export async function findOpenRecord(db: Database, caller: Caller, id: string): Promise<StoredRecord> {
  const stored = await findSeenRecord(db, caller, id)
  const refusal = refuseClosed(caller, stored)
  if (refusal) throw refusal
  return stored
}

function missing(): AppError {
  return new AppError('record_not_found', 'There is no such record.')
}

function outsideScopes(): AppError {
  return new AppError('outside_trust', 'The key may read this record, but not write to its scope.')
}

function aboveCeiling(): AppError {
  return new AppError('above_ceiling', 'The key sees this record only redacted.')
}
