import type { Payload } from '../domain/payloads.ts'
import { type Restoration, restoreSalience } from './restoration.ts'
import type { StoredRecord } from './stored-record.ts'

export type Reactivation = Restoration & { content: { payload?: Payload } }

/** What a retraction took from a record, given back: its life, and the word in a fact that it was retracted. */
export function reactivateRecord(stored: StoredRecord, taken: number | undefined, now: Date): Reactivation {
  const life = taken === undefined ? { record: {}, changes: {} } : restoreSalience(stored, taken, now)
  const { payload } = stored
  if (payload.kind !== 'semantic' || payload.revision?.status !== 'retracted') return { ...life, content: {} }
  return {
    record: life.record,
    content: { payload: { ...payload, revision: { ...payload.revision, status: 'active' } } },
    changes: { ...life.changes, 'payload.revision.status': ['retracted', 'active'] },
  }
}
