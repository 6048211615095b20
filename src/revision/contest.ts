import type { Payload } from '../domain/payloads/payloads.ts'
import { createFaultError } from '../kernel/errors.ts'
import { type Change, maxSources, type StoredRecord } from '../records/index.ts'

type ContestChange = Pick<Change, 'content' | 'changes' | 'status'>

/**
 * Marks a record as contested. A fact is marked in its payload and is still retrieved; other types have only their
 * status for it. `evidence` is a reference to something outside the store.
 */
export function contestRecord(stored: StoredRecord, evidence: string | undefined, now: Date): ContestChange {
  const { payload } = stored
  if (payload.kind === 'semantic') {
    const fact = evidence === undefined ? payload : addEvidence(payload, evidence, now)
    return setRevisionStatus(fact, 'contested')
  }
  const content = evidence === undefined ? {} : addSource(stored, evidence, now)
  return stored.status === 'active' ? { content, status: { to: 'challenged', step: 'contest' } } : { content }
}

/** Returns undefined if the record is not contested. The evidence against it stays, as history. */
export function uncontestRecord({ payload, status }: StoredRecord): ContestChange | undefined {
  if (payload.kind !== 'semantic') {
    return status === 'challenged' ? { status: { to: 'active', step: 'uncontest' } } : undefined
  }
  return payload.revision?.status === 'contested' ? setRevisionStatus(payload, 'active') : undefined
}

type Fact = Extract<Payload, { kind: 'semantic' }>

function setRevisionStatus(payload: Fact, status: 'active' | 'contested'): ContestChange {
  const before = payload.revision?.status ?? 'active'
  return {
    content: { payload: { ...payload, revision: { ...payload.revision, status } } },
    changes: before === status ? {} : { 'payload.revision.status': [before, status] },
  }
}

function addEvidence(payload: Fact, ref: string, now: Date): Fact {
  if (payload.evidence.some(({ source_id: id }) => id === ref)) return payload
  const added = { source_type: 'observation' as const, source_id: ref, timestamp: now.toISOString() }
  return { ...payload, evidence: [...payload.evidence, added] }
}

function addSource({ provenance }: StoredRecord, ref: string, now: Date): Change['content'] & object {
  const { sources } = provenance
  if (sources.some((source) => source.ref === ref)) return {}
  if (sources.length >= maxSources) {
    throw createFaultError('The record already has the largest number of sources.', {
      pointer: '/contesting_ref',
      message: 'must be the id of a record',
    })
  }
  const added = { kind: 'observation' as const, ref, timestamp: now.toISOString() }
  return { provenance: { ...provenance, sources: [...sources, added] } }
}
