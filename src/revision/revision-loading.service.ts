import type { Database } from '../db/connection.ts'
import type { CallContext } from '../db/transaction.ts'
import type { Caller } from '../domain/caller.ts'
import { isHistory } from '../domain/vocabulary.ts'
import { AppError } from '../kernel/errors.ts'
import { loadForUpdate, loadManyForUpdate, lockReadableRecords, type StoredRecord } from '../records/index.ts'
import { findSuccessor } from './revision.queries.ts'

/** The way into every revision of a record: claimed, of a type that is revised, and not history yet. */
export async function loadRevisable(tx: Database, call: CallContext, id: string): Promise<StoredRecord> {
  const stored = await loadForUpdate(tx, call, id)
  const refusal = await checkRevisable(tx, call.caller, stored)
  if (refusal) throw refusal
  return stored
}

/** As many at once, in the order asked; the first that cannot be revised is the answer. */
export async function loadSources(
  tx: Database,
  call: CallContext,
  ids: readonly string[],
): Promise<StoredRecord[]> {
  const sources: StoredRecord[] = []
  for (const [index, claimed] of (await loadManyForUpdate(tx, withoutVersion(call), ids)).entries()) {
    const refusal = claimed instanceof AppError ? claimed : await checkRevisable(tx, call.caller, claimed)
    if (refusal) throw refusal.at(`/ids/${index}`)
    if (!(claimed instanceof AppError)) sources.push(claimed)
  }
  return sources
}

/**
 * The record that a reference names, if it names one that may be linked to. It is locked together with the contested
 * one, so that neither two who contest each other's record deadlock nor an erase leaves the edge without an end.
 */
export async function lockContestingRecord(
  tx: Database,
  call: CallContext,
  id: string,
  ref: string,
): Promise<StoredRecord | undefined> {
  if (!uuid.test(ref)) return undefined
  if (ref.toLowerCase() === id.toLowerCase()) throw createSelfContestError()
  const [, contesting] = await lockReadableRecords(tx, call.caller, [id, ref])
  if (!(contesting instanceof AppError)) return contesting
  if (contesting.code === 'above_ceiling') throw contesting
  return undefined
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** If-Match is about the record in the path, not about those beside it. */
function withoutVersion({ expectedVersion: _, ...call }: CallContext): CallContext {
  return call
}

async function checkRevisable(
  tx: Database,
  caller: Caller,
  stored: StoredRecord,
): Promise<AppError | undefined> {
  const { type, status } = stored
  if (type === 'episodic') return new AppError('episodic_immutable', 'What happened is not revised.')
  if (type === 'working') return new AppError('not_revisable', 'Working memory is patched, not revised.')
  if (!isHistory(status)) return undefined
  if (status === 'invalidated') return new AppError('already_retracted', 'The record was retracted.')
  const successor = await findSuccessor(tx, stored.id, caller.trust)
  const extra = successor === undefined ? {} : { superseded_by: successor }
  return new AppError('already_superseded', `The record was ${status}.`, { extra })
}

function createSelfContestError(): AppError {
  return new AppError('validation_failed', 'A record does not contest itself.', {
    errors: [{ pointer: '/contesting_ref', message: 'must not be the record itself' }],
  })
}
