import type { Payload } from '../domain/payloads.ts'
import { type Restoration, restoreSalience } from './restoration.ts'
import type { StoredRecord } from './stored-record.ts'

export type Reactivation = Restoration & { content: { payload?: Payload } }

/** Reverts a retraction: the salience, and the status in the payload of a fact. */
export function reactivateRecord(
  stored: StoredRecord,
  lostSalience: number | undefined,
  now: Date,
): Reactivation {
  const life =
    lostSalience === undefined ? { record: {}, changes: {} } : restoreSalience(stored, lostSalience, now)
  const { payload } = stored
  if (payload.kind !== 'semantic' || payload.revision?.status !== 'retracted') return { ...life, content: {} }
  return {
    record: life.record,
    content: { payload: { ...payload, revision: { ...payload.revision, status: 'active' } } },
    changes: { ...life.changes, 'payload.revision.status': ['retracted', 'active'] },
  }
}
