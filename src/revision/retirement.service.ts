import type { Transaction } from '../db/transaction.ts'
import { type Change, type StoredRecord, writeChange } from '../records/index.ts'
import { clearSalience } from './retired-record.ts'

type Retirement = Pick<Change, 'actor' | 'rationale' | 'now' | 'textLanguage' | 'runId'> & {
  /** The operation, and the new status of the record. */
  step: string
  to: 'superseded' | 'merged' | 'invalidated'
  supersededBy?: string
}

/** Makes a record history: it stays readable, but with salience 0 and out of retrieval. It must be loaded for update. */
export async function retireRecord(
  tx: Transaction,
  stored: StoredRecord,
  { step, to, supersededBy, ...change }: Retirement,
): Promise<StoredRecord> {
  return writeChange(tx, stored, {
    ...change,
    ...clearSalience(stored, supersededBy, change.now),
    action: to === 'merged' ? 'merge' : 'revise',
    status: { to, step },
  })
}
