import type { Transaction } from '../../db/transaction.ts'
import { fullTrust } from '../../domain/trust/caller.ts'
import { type Change, findRecords, lockRecords } from '../../records/index.ts'
import { deleteProfileRows, findQuoting } from './quoting-records.queries.ts'
import { retireRecord } from './retirement.service.ts'

type Reason = Pick<Change, 'actor' | 'now' | 'textLanguage'>

/**
 * After a record was withdrawn, what a dream wrote from it and from others is history too, including what the caller does not see.
 * Call it outside of a revision: the reversal of the revision would bring back a profile that was replaced since.
 */
export async function retireQuoting(tx: Transaction, sourceId: string, reason: Reason): Promise<void> {
  const candidates = await findQuoting(tx, sourceId)
  if (candidates.length === 0) return
  await lockRecords(tx, candidates)
  const ids = await findQuoting(tx, sourceId)
  await deleteProfileRows(tx, ids)
  for (const stored of await findRecords(tx, ids, fullTrust)) {
    const change = { ...reason, rationale: 'a source was retracted', step: 'retract' }
    await retireRecord(tx, stored, { ...change, to: 'superseded' })
  }
}
