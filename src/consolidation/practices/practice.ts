import type { RecordStatus } from '../../db/schema.ts'
import { computeSalience } from '../../domain/lifecycle/curves.ts'
import type { LifecycleChange, LifecycleState } from '../../domain/lifecycle/reinforcement.ts'
import type { Episode } from '../episode.ts'
import { reinforceByEpisode } from '../reinforcement.ts'
import { applyChange, type CountChange, type PracticeGroup } from './outcome-counts.ts'
import type { OutcomeCounts, PracticeKind } from './practice-kind.ts'

/** Decides how a skill or a plan is created and updated by episodes. */

/** A stored practice with the same handle. `place` is the index of the requested group. */
export type KnownPractice = {
  place: number
  id: string
  status: RecordStatus
  pinned: boolean
  is_forgotten: boolean
  is_ours: boolean
}

export type PracticeOutcome =
  | { outcome: 'created' }
  | { outcome: 'skipped' }
  | { outcome: 'updated'; id: string }

/**
 * A practice written by a client may only look the same, so it is updated only if it replaced a learned one. A
 * withdrawn practice is not learned again; a forgotten one is, if it is useful again.
 */
export function decidePracticeOutcome(known: readonly KnownPractice[]): PracticeOutcome {
  const isLive = ({ status, is_forgotten }: KnownPractice) =>
    !is_forgotten && (status === 'active' || status === 'challenged')
  const ours = known.filter(({ is_ours }) => is_ours)
  const isReplaced = ours.some(({ status }) => status !== 'active' && status !== 'challenged')
  const currentPractice = ours.find(isLive) ?? (isReplaced ? known.find(isLive) : undefined)
  if (currentPractice)
    return currentPractice.pinned ? { outcome: 'skipped' } : { outcome: 'updated', id: currentPractice.id }
  return isReplaced ? { outcome: 'skipped' } : { outcome: 'created' }
}

export type PracticeCreation = {
  /** Its success is the last of those that are needed. */
  creatingEpisode: Episode
  counts: OutcomeCounts
  /** The changes that `counts` includes. */
  countedChanges: readonly CountChange[]
  laterChanges: CountChange[]
}

/** `pendingCounts` were counted by earlier batches. Returns undefined if there are too few successes. */
export function findPracticeCreation(
  { countChanges }: PracticeGroup,
  pendingCounts: OutcomeCounts,
  { minSuccesses }: PracticeKind,
): PracticeCreation | undefined {
  let counts = pendingCounts
  for (const [place, change] of countChanges.entries()) {
    counts = applyChange(counts, change)
    if (change.to === 'success' && counts.successes >= minSuccesses) {
      return {
        creatingEpisode: change.episode,
        counts,
        countedChanges: countChanges.slice(0, place + 1),
        laterChanges: countChanges.slice(place + 1),
      }
    }
  }
  return undefined
}

/** `stored_counts` are the counts in the payload. */
export type Practice = LifecycleState & { id: string; stored_counts: unknown }

export type UpdatedPractice = {
  id: string
  lifecycle: LifecycleChange
  storedCounts: object
  entries: readonly { action: 'reinforce' | 'revise'; episode: string; at: string; changes: object }[]
}

/** Each new success reinforces the practice once. Failures and corrected outcomes are only counted. */
export function updatePractice(
  practice: Practice,
  countChanges: readonly CountChange[],
  kind: PracticeKind,
  now: Date,
): UpdatedPractice {
  let lifecycle: LifecycleState = practice
  let counts = kind.readCounts(practice.stored_counts)
  let storedCounts = kind.writeCounts(counts)
  const entries = countChanges.map((change) => {
    const isNew = change.from === undefined && change.to === 'success'
    const before = computeSalience(lifecycle, now)
    const countsBefore = storedCounts
    counts = applyChange(counts, change)
    storedCounts = kind.writeCounts(counts)
    if (isNew) lifecycle = reinforceByEpisode(lifecycle, now)
    const changes = {
      [`payload.${kind.countsField}`]: [countsBefore, storedCounts],
      episode: [null, change.episode.id],
      ...(isNew ? { salience: [before, lifecycle.salience] } : {}),
    }
    return {
      action: isNew ? ('reinforce' as const) : ('revise' as const),
      episode: change.episode.id,
      at: change.episode.created_at.toISOString(),
      changes,
    }
  })
  return { id: practice.id, lifecycle: toLifecycleChange(lifecycle, now), storedCounts, entries }
}

function toLifecycleChange(lifecycle: LifecycleState, now: Date): LifecycleChange {
  const { base_salience, anchored_at, last_reinforced_at, pinned, expires_at, prune_at } = lifecycle
  return {
    base_salience,
    anchored_at,
    last_reinforced_at,
    pinned,
    expires_at,
    prune_at,
    salience: computeSalience(lifecycle, now),
  }
}
