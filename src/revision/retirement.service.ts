import type { Database } from '../db/connection.ts'
import { type Change, type StoredRecord, writeChange } from '../records/index.ts'
import { clearSalience } from './retired-record.ts'

type Retirement = Pick<Change, 'actor' | 'rationale' | 'now' | 'textLanguage' | 'runId'> & {
  /** By what operation, and what becomes of the record. */
  step: string
  to: 'superseded' | 'merged' | 'invalidated'
  supersededBy?: string
}

/** Puts a claimed record aside, whoever replaces it: kept and readable, but history. */
export async function retireRecord(
  tx: Database,
  stored: StoredRecord,
  { step, to, supersededBy, ...told }: Retirement,
): Promise<StoredRecord> {
  return writeChange(tx, stored, {
    ...told,
    ...clearSalience(stored, supersededBy, told.now),
    action: to === 'merged' ? 'merge' : 'revise',
    status: { to, step },
  })
}
