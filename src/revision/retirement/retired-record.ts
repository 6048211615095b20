import { computePruneAt, computeSalience } from '../../domain/lifecycle/curves.ts'
import { getRank, unscoped, type Visibility } from '../../domain/trust/caller.ts'
import type { Change, StoredRecord } from '../../records/index.ts'

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

export type Other = Visibility & { id: string }

/**
 * Names the edge to a record that not every reader of `stored` may see, in the entry about the change that this record made. So the
 * entry stays hidden from the others also after an erasure or a purge has removed the edge.
 */
export function nameEdge(
  stored: Visibility,
  predicate: string,
  other: Other | undefined,
): Record<string, [null, number]> {
  if (!other) return {}
  const isForeign = other.scope !== stored.scope && other.scope !== unscoped
  const isAbove = getRank(other.sensitivity) > getRank(stored.sensitivity)
  return isForeign || isAbove ? { [`relations.${predicate}.${other.id}`]: [null, 1] } : {}
}
