import { computeExpiry, computePruneAt, salienceAt } from '../domain/curves.ts'
import { isHistory } from '../domain/vocabulary.ts'
import type { RecordRow, StoredRecord } from './stored-record.ts'

/** What has faded comes back at least this alive: at its own last value it would be pruned again at once. */
export const minRestoredSalience = 0.1

export type Restoration = { record: Partial<RecordRow>; changes: Record<string, [unknown, unknown]> }

/**
 * A forgotten record alive again: at the salience it had when it was forgotten or 0.1, whichever is larger,
 * fading from now on. Somebody came back to it, which is a use: otherwise what was archived for want of any would
 * be archived again at once.
 */
export function restoreRecord(stored: StoredRecord, now: Date): Restoration {
  // What a revision put aside comes back as the history it was.
  const least = isHistory(stored.status) ? 0 : minRestoredSalience
  const revival = restoreSalience(stored, salienceAt(stored, stored.forgotten_at ?? now), now, least)
  return {
    record: {
      ...revival.record,
      ...{ forgotten_at: null, forgotten_reason: null, forgotten_by: null, forgotten_run_id: null },
      purge_at: null,
      access_count: stored.access_count + 1,
      last_accessed_at: laterOf(stored.last_accessed_at, now),
    },
    changes: { forgotten: [presentForgetting(stored), null], ...revival.changes },
  }
}

function laterOf(last: Date | null, now: Date): Date {
  return last && last > now ? last : now
}

/**
 * A new life from now on. A maximum age that is over is dropped: with it the record would be dead as soon as it
 * is back.
 */
export function restoreSalience(
  stored: StoredRecord,
  salienceThen: number,
  now: Date,
  least: number = minRestoredSalience,
): Restoration {
  const isOverage = !stored.pinned && stored.expires_at !== null && stored.expires_at <= now
  const maxAge = isOverage ? 0 : stored.max_age_seconds
  const life = {
    ...stored,
    base_salience: Math.max(salienceThen, least),
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
      salience: salienceAt(life, now),
      prune_at: computePruneAt(life),
    },
    changes: {
      salience: [salienceThen, life.base_salience],
      ...(isOverage ? { 'lifecycle.decay.max_age_seconds': [stored.max_age_seconds, 0] } : {}),
    },
  }
}

export function presentForgetting(
  row: Pick<RecordRow, 'forgotten_at' | 'forgotten_reason' | 'forgotten_by'>,
) {
  return { at: row.forgotten_at, reason: row.forgotten_reason, actor: row.forgotten_by }
}
