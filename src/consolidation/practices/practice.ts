import type { RecordStatus } from '../../db/schema.ts'
import { salienceAt } from '../../domain/curves.ts'
import { type LifecycleChange, type LifecycleState, reinforce } from '../../domain/reinforcement.ts'
import { applyChange, type CountChange, type PracticeGroup } from './outcome-counts.ts'
import type { OutcomeCounts, PracticeKind } from './practice-kind.ts'

/** A skill or a plan, and what it learns of having been used again. */

/** A record that is known by the same; `place` is that of the group that was asked about. */
export type KnownPractice = {
  place: number
  id: string
  status: RecordStatus
  pinned: boolean
  is_forgotten: boolean
  is_ours: boolean
}

export type PracticeOutcome = { outcome: 'unknown' } | { outcome: 'left' } | { outcome: 'fed'; id: string }

/**
 * What somebody wrote by hand may only look alike, so it is fed where it replaced what was learnt. What was withdrawn
 * is not learnt anew; what was forgotten is, once it proves useful again.
 */
export function decidePracticeOutcome(known: readonly KnownPractice[]): PracticeOutcome {
  const isLive = ({ status, is_forgotten }: KnownPractice) =>
    !is_forgotten && (status === 'active' || status === 'challenged')
  const ours = known.filter(({ is_ours }) => is_ours)
  const isReplaced = ours.some(({ status }) => status !== 'active' && status !== 'challenged')
  const currentPractice = ours.find(isLive) ?? (isReplaced ? known.find(isLive) : undefined)
  if (currentPractice)
    return currentPractice.pinned ? { outcome: 'left' } : { outcome: 'fed', id: currentPractice.id }
  return isReplaced ? { outcome: 'left' } : { outcome: 'unknown' }
}

/** Those that come before it is known, and those it then learns from; none while too few went well. */
export function findFoundingEpisode(
  { countChanges: changesToCount }: PracticeGroup,
  waiting: OutcomeCounts,
  { minSuccesses }: PracticeKind,
) {
  let counts = waiting
  for (const [place, change] of changesToCount.entries()) {
    counts = applyChange(counts, change)
    if (change.to === 'success' && counts.successes >= minSuccesses) {
      return {
        founder: change.episode,
        tally: counts,
        founding: changesToCount.slice(0, place + 1),
        later: changesToCount.slice(place + 1),
      }
    }
  }
  return undefined
}

export type Practice = LifecycleState & { id: string; kept: unknown }

export type UpdatedPractice = {
  id: string
  lifecycle: LifecycleChange
  kept: object
  entries: readonly { action: 'reinforce' | 'revise'; episode: string; at: string; changes: object }[]
}

/** What was created by hand may have no gain at all, and would never prove useful. */
const minGain = 0.1

/** Each new success reinforces once; a failure, or an outcome that was corrected, is only counted. */
export function updatePractice(
  practice: Practice,
  changesToCount: readonly CountChange[],
  kind: PracticeKind,
  now: Date,
): UpdatedPractice {
  let lifecycle: LifecycleState = practice
  let counts = kind.readCounts(practice.kept)
  let kept = kind.writeCounts(counts)
  const entries = changesToCount.map((change) => {
    const isNew = change.from === undefined && change.to === 'success'
    const [before, keptBefore] = [salienceAt(lifecycle, now), kept]
    counts = applyChange(counts, change)
    kept = kind.writeCounts(counts)
    if (isNew) {
      const gain = Math.max(lifecycle.reinforcement_gain, minGain)
      lifecycle = { ...lifecycle, ...reinforce({ ...lifecycle, reinforcement_gain: gain }, now) }
    }
    const changes = {
      [`payload.${kind.countsField}`]: [keptBefore, kept],
      episode: [null, change.episode.id],
      ...(isNew ? { salience: [before, lifecycle.salience] } : {}),
    }
    return {
      ...{ action: isNew ? ('reinforce' as const) : ('revise' as const), episode: change.episode.id },
      ...{ at: change.episode.created_at.toISOString(), changes },
    }
  })
  return { id: practice.id, lifecycle: toLifeChange(lifecycle, now), kept, entries }
}

function toLifeChange(lifecycle: LifecycleState, now: Date): LifecycleChange {
  const { base_salience, anchored_at, last_reinforced_at, pinned, expires_at, prune_at } = lifecycle
  return {
    ...{ base_salience, anchored_at, last_reinforced_at, pinned, expires_at, prune_at },
    salience: salienceAt(lifecycle, now),
  }
}
