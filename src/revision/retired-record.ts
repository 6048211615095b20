import { computePruneAt, computeSalience } from '../domain/curves.ts'
import type { Change, StoredRecord } from '../records/index.ts'

/**
 * The changes that make a record history: salience 0 from now on, and `retracted` in the payload of a fact. A pinned
 * record stays pinned, with salience 0. The retention of history starts at the anchor.
 */
export function clearSalience(
  stored: StoredRecord,
  supersededBy: string | undefined,
  now: Date,
): Required<Pick<Change, 'record' | 'content' | 'changes'>> {
  const life = { ...stored, base_salience: 0, anchored_at: now }
  const salience: [number, number] = [computeSalience(stored, now), 0]
  const record = { base_salience: 0, salience: 0, anchored_at: now, prune_at: computePruneAt(life) }
  const { payload } = stored
  if (payload.kind !== 'semantic') return { record, content: {}, changes: { salience } }
  const successor = supersededBy === undefined ? {} : { superseded_by: supersededBy }
  const revision = { ...payload.revision, ...successor, status: 'retracted' as const }
  const before = payload.revision?.status ?? 'active'
  return {
    record,
    content: { payload: { ...payload, revision } },
    changes: { salience, 'payload.revision.status': [before, 'retracted'] },
  }
}
