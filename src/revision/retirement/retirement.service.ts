import type { Transaction } from '../../db/transaction.ts'
import { type Change, type StoredRecord, writeChange } from '../../records/index.ts'
import { clearSalience, nameEdge, type Other } from './retired-record.ts'

type Retirement = Pick<Change, 'actor' | 'rationale' | 'now' | 'textLanguage' | 'runId'> & {
  /** The operation, and the new status of the record. */
  step: string
  to: 'superseded' | 'merged' | 'invalidated'
  supersededBy?: Other
  mergedInto?: Other
}

/** Makes a record history: it stays readable, but with salience 0 and out of retrieval. It must be loaded for update. */
export async function retireRecord(
  tx: Transaction,
  stored: StoredRecord,
  { step, to, supersededBy, mergedInto, ...change }: Retirement,
): Promise<StoredRecord> {
  const { changes, ...cleared } = clearSalience(stored, supersededBy?.id, change.now)
  return writeChange(tx, stored, {
    ...change,
    ...cleared,
    changes: {
      ...changes,
      ...nameEdge(stored, 'superseded_by', supersededBy),
      ...nameEdge(stored, 'derives', mergedInto),
    },
    action: to === 'merged' ? 'merge' : 'revise',
    status: { to, step },
  })
}
