import type { CallContext, Transaction } from '../db/transaction.ts'
import { isHistory } from '../domain/schemas/vocabulary.ts'
import type { Caller } from '../domain/trust/caller.ts'
import { AppError, createFaultError } from '../kernel/errors.ts'
import { isUuid } from '../kernel/ids.ts'
import {
  describeSuccessor,
  findSuccessors,
  loadForUpdate,
  loadManyForUpdate,
  lockReadableRecords,
  type StoredRecord,
} from '../records/index.ts'

/** Loads a record for a revision. Its type must allow revisions, and it must not be history already. */
export async function loadRevisable(tx: Transaction, call: CallContext, id: string): Promise<StoredRecord> {
  const stored = await loadForUpdate(tx, call, id)
  const refusal = await checkRevisable(tx, call.caller, stored)
  if (refusal) throw refusal
  return stored
}

/** Loads the sources of a merge, in the given order. Throws the error of the first one that cannot be revised. */
export async function loadSources(
  tx: Transaction,
  call: CallContext,
  ids: readonly string[],
): Promise<StoredRecord[]> {
  const sources: StoredRecord[] = []
  for (const [index, loaded] of (await loadManyForUpdate(tx, call, ids)).entries()) {
    const refusal = loaded instanceof AppError ? loaded : await checkRevisable(tx, call.caller, loaded)
    if (refusal) throw refusal.at(`/ids/${index}`)
    if (!(loaded instanceof AppError)) sources.push(loaded)
  }
  return sources
}

/**
 * The record that `contesting_ref` names, if it may be linked to. It is locked together with the contested record: two
 * records that contest each other then cannot deadlock, and an erase cannot leave an edge without a target.
 */
export async function lockContestingRecord(
  tx: Transaction,
  call: CallContext,
  id: string,
  ref: string,
): Promise<StoredRecord | undefined> {
  if (!isUuid(ref)) return undefined
  if (ref.toLowerCase() === id.toLowerCase()) throw createSelfContestError()
  const [, contesting] = await lockReadableRecords(tx, call.caller, [id, ref])
  if (!(contesting instanceof AppError)) return contesting
  if (contesting.code === 'above_ceiling') throw contesting
  return undefined
}

async function checkRevisable(
  tx: Transaction,
  caller: Caller,
  stored: StoredRecord,
): Promise<AppError | undefined> {
  const { type, status } = stored
  if (type === 'episodic') return new AppError('episodic_immutable', 'An episodic record cannot be revised.')
  if (type === 'working')
    return new AppError('not_revisable', 'A working record cannot be revised; change it with PATCH.')
  if (!isHistory(status)) return undefined
  if (status === 'invalidated') return new AppError('already_retracted', 'The record is already retracted.')
  const extra = describeSuccessor(stored, await findSuccessors(tx, caller, [stored]))
  return new AppError('already_superseded', `The record is already ${status}.`, { extra })
}

function createSelfContestError(): AppError {
  return createFaultError('A record cannot contest itself.', {
    pointer: '/contesting_ref',
    message: 'must not be the record itself',
  })
}
