import type { Payload } from '../domain/payloads.ts'
import { AppError } from '../kernel/errors.ts'
import type { Change, StoredRecord } from '../records/index.ts'

type Disputed = Pick<Change, 'content' | 'changes' | 'status'>

const mostProvenance = 10_000

/**
 * A record that something speaks against. A fact says so in its payload and goes on being told; the other types
 * have no place for it but their status. `evidence` names what is no record.
 */
export function contestRecord(stored: StoredRecord, evidence: string | undefined, now: Date): Disputed {
  const { payload } = stored
  if (payload.kind === 'semantic') {
    const noted = evidence === undefined ? payload : noteEvidence(payload, evidence, now)
    return turnRevision(noted, 'contested')
  }
  const content = evidence === undefined ? {} : noteSource(stored, evidence, now)
  return stored.status === 'active' ? { content, status: { to: 'challenged', step: 'contest' } } : { content }
}

/** Undefined when nothing was contested. What was said against it stays, as history. */
export function settleRecord({ payload, status }: StoredRecord): Disputed | undefined {
  if (payload.kind !== 'semantic') {
    return status === 'challenged' ? { status: { to: 'active', step: 'uncontest' } } : undefined
  }
  return payload.revision?.status === 'contested' ? turnRevision(payload, 'active') : undefined
}

type Fact = Extract<Payload, { kind: 'semantic' }>

function turnRevision(payload: Fact, status: 'active' | 'contested'): Disputed {
  const before = payload.revision?.status ?? 'active'
  return {
    content: { payload: { ...payload, revision: { ...payload.revision, status } } },
    changes: before === status ? {} : { 'payload.revision.status': [before, status] },
  }
}

function noteEvidence(payload: Fact, ref: string, now: Date): Fact {
  if (payload.evidence.some(({ source_id: id }) => id === ref)) return payload
  const noted = { source_type: 'observation' as const, source_id: ref, timestamp: now.toISOString() }
  return { ...payload, evidence: [...payload.evidence, noted] }
}

function noteSource({ provenance }: StoredRecord, ref: string, now: Date): Change['content'] & object {
  const { sources } = provenance
  if (sources.some((source) => source.ref === ref)) return {}
  if (sources.length >= mostProvenance) {
    throw new AppError('validation_failed', 'The record has as many sources as it can have.', {
      errors: [{ pointer: '/contesting_ref', message: 'must be the id of a record' }],
    })
  }
  const noted = { kind: 'observation' as const, ref, timestamp: now.toISOString() }
  return { provenance: { ...provenance, sources: [...sources, noted] } }
}
