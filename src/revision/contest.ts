import type { Payload } from '../domain/payloads.ts'
import { AppError } from '../kernel/errors.ts'
import type { Change, StoredRecord } from '../records/index.ts'

type ContestChange = Pick<Change, 'content' | 'changes' | 'status'>

const maxSources = 10_000

/**
 * A record that something speaks against. A fact says so in its payload and goes on being told; the other types
 * have no place for it but their status. `evidence` names what is no record.
 */
export function contestRecord(stored: StoredRecord, evidence: string | undefined, now: Date): ContestChange {
  const { payload } = stored
  if (payload.kind === 'semantic') {
    const noted = evidence === undefined ? payload : addEvidence(payload, evidence, now)
    return setRevisionStatus(noted, 'contested')
  }
  const content = evidence === undefined ? {} : addSource(stored, evidence, now)
  return stored.status === 'active' ? { content, status: { to: 'challenged', step: 'contest' } } : { content }
}

/** Undefined when nothing was contested. What was said against it stays, as history. */
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
  const noted = { source_type: 'observation' as const, source_id: ref, timestamp: now.toISOString() }
  return { ...payload, evidence: [...payload.evidence, noted] }
}

function addSource({ provenance }: StoredRecord, ref: string, now: Date): Change['content'] & object {
  const { sources } = provenance
  if (sources.some((source) => source.ref === ref)) return {}
  if (sources.length >= maxSources) {
    throw new AppError('validation_failed', 'The record has as many sources as it can have.', {
      errors: [{ pointer: '/contesting_ref', message: 'must be the id of a record' }],
    })
  }
  const noted = { kind: 'observation' as const, ref, timestamp: now.toISOString() }
  return { provenance: { ...provenance, sources: [...sources, noted] } }
}
