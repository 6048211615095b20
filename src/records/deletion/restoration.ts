import { computeExpiry, computePruneAt, computeSalience } from '../../domain/lifecycle/curves.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import { isHistory } from '../../domain/schemas/vocabulary.ts'
import type { RecordRow, StoredRecord } from '../stored-record.ts'

/** The lowest salience of a restored record. With a lower one it would be pruned again at once. */
const minRestoredSalience = 0.1

export type Restoration = {
  record: Partial<RecordRow & { restored_at: Date }>
  changes: Record<string, [unknown, unknown]>
}

/** A superseded, merged or retracted record stays history. */
export function raiseToRestored({ status }: Pick<RecordRow, 'status'>, salienceThen: number): number {
  return isHistory(status) ? salienceThen : Math.max(salienceThen, minRestoredSalience)
}

/** Forgets a record that a client deletes, or that goes with one. It can be restored until `purgeAt`. */
export function forgetRecord(actor: string, now: Date, purgeAt: Date): Restoration {
  const forgotten = { forgotten_at: now, forgotten_reason: 'deleted', forgotten_by: actor } as const
  return {
    record: { ...forgotten, purge_at: purgeAt },
    changes: { forgotten: [null, presentForgetting(forgotten)] },
  }
}

/**
 * Restores a forgotten record. Its salience is the one at the time of forgetting, but at least 0.1, and it fades from now
 * on. The restore counts as a use: otherwise a record that was archived because it was not used would be archived again
 * at once.
 */
export function restoreRecord(stored: StoredRecord, now: Date): Restoration {
  const salienceThen = computeSalience(stored, stored.forgotten_at ?? now)
  const restored = restoreSalience(stored, salienceThen, raiseToRestored(stored, salienceThen), now)
  return {
    record: {
      ...restored.record,
      forgotten_at: null,
      forgotten_reason: null,
      forgotten_by: null,
      forgotten_run_id: null,
      purge_at: null,
      restored_at: now,
      access_count: stored.access_count + 1,
      last_accessed_at: chooseLater(stored.last_accessed_at, now),
    },
    changes: { forgotten: [presentForgetting(stored), null], ...restored.changes },
  }
}

function chooseLater(last: Date | null, now: Date): Date {
  return last && last > now ? last : now
}

/**
 * Restores a salience that fades from now on. A maximum age that has already passed is removed: with it the record would
 * be pruned at once.
 */
function restoreSalience(
  stored: StoredRecord,
  salienceThen: number,
  salience: number,
  now: Date,
): Restoration {
  const isExpired = !stored.pinned && stored.expires_at !== null && stored.expires_at <= now
  const maxAge = isExpired ? 0 : stored.max_age_seconds
  const life = {
    ...stored,
    base_salience: salience,
    anchored_at: now,
    expires_at: computeExpiry(stored.created_at, maxAge),
  }
  return {
    record: {
      base_salience: life.base_salience,
      anchored_at: now,
      last_reinforced_at: now,
      max_age_seconds: maxAge,
      expires_at: life.expires_at,
      salience: computeSalience(life, now),
      prune_at: computePruneAt(life),
    },
    changes: {
      salience: [salienceThen, life.base_salience],
      ...(isExpired ? { 'lifecycle.decay.max_age_seconds': [stored.max_age_seconds, 0] } : {}),
    },
  }
}

type Reactivation = Restoration & { content: { payload?: Payload } }

/** Reverts a retraction: the salience, and the status in the payload of a fact. */
export function reactivateRecord(
  stored: StoredRecord,
  lostSalience: number | undefined,
  now: Date,
): Reactivation {
  const restored =
    lostSalience === undefined
      ? { record: {}, changes: {} }
      : restoreSalience(stored, lostSalience, Math.max(lostSalience, minRestoredSalience), now)
  const { payload } = stored
  if (payload.kind !== 'semantic' || payload.revision?.status !== 'retracted')
    return { ...restored, content: {} }
  return {
    record: restored.record,
    content: { payload: { ...payload, revision: { ...payload.revision, status: 'active' } } },
    changes: { ...restored.changes, 'payload.revision.status': ['retracted', 'active'] },
  }
}

function presentForgetting(row: Pick<RecordRow, 'forgotten_at' | 'forgotten_reason' | 'forgotten_by'>) {
  return { at: row.forgotten_at, reason: row.forgotten_reason, actor: row.forgotten_by }
}
