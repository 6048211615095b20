import type { RecordStatus } from '../../db/schema.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import type { MemoryRecord } from '../../records/index.ts'

export type Revision = 'active' | 'contested' | 'retracted'

export type PastState = { status: RecordStatus; salience: number; revision: Revision | null }

/** The record at a past instant, as far as its log shows. Later edges and log entries are removed. */
export function presentPast(record: MemoryRecord, then: PastState, at: Date): MemoryRecord {
  const existed = (time: string) => new Date(time) <= at
  return {
    ...record,
    status: then.status,
    salience: then.salience,
    payload: presentPastRevision(record.payload, then.revision),
    relations: record.relations.filter((relation) => existed(relation.created_at)),
    audit_log: record.audit_log.filter((entry) => existed(entry.timestamp)),
  }
}

function presentPastRevision(payload: Payload, status: Revision | null): Payload {
  if (payload.kind !== 'semantic' || !payload.revision || status === null) return payload
  const { superseded_by: successor, ...rest } = payload.revision
  const supersededBy = status === 'retracted' && successor !== undefined ? { superseded_by: successor } : {}
  return { ...payload, revision: { ...rest, ...supersededBy, status } }
}
